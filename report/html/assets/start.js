// Dark or light, and everything at its place.

function setUpTheme() {
  const button = document.getElementById('theme');
  const root = document.documentElement;
  const dark = () => root.dataset.theme ? root.dataset.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
  const name = () => { button.textContent = dark() ? 'Light' : 'Dark'; };
  button.addEventListener('click', () => {
    root.dataset.theme = dark() ? 'light' : 'dark';
    name();
    redrawAll();
  });
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
    name();
    redrawAll();
  });
  // On paper the page is light, and the charts with it.
  window.addEventListener('beforeprint', redrawAll);
  window.addEventListener('afterprint', redrawAll);
  name();
}

document.body.classList.remove('plain');
setUpTheme();
setUpTables();
setUpKernels();
drawScaling();
drawBump();
drawOperations();
drawSizes();
document.body.dataset.ready = 'yes';
