// Starts the page: dark or light colours, and the charts and tables in their places.

function setUpTheme() {
  const button = document.getElementById('theme');
  const system = matchMedia('(prefers-color-scheme: dark)');
  const rule = [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules])
                   .find((one) => one instanceof CSSMediaRule && one.media.mediaText.includes('prefers-color-scheme'));
  let chosen = null;
  const dark = () => chosen ?? system.matches;
  const name = () => { button.textContent = dark() ? 'Light' : 'Dark'; };
  button.addEventListener('click', () => {
    chosen = !dark();
    rule.media.mediaText = chosen ? 'all' : 'not all';
    name();
    redrawAll();
  });
  system.addEventListener('change', () => {
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
