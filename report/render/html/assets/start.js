// Starts the page: dark or light colours, tables, and sections whose charts are drawn when they are opened.

const charts = {
  efficiency: drawScaling,
  speedup: drawScaling,
  bump: drawBump,
  operations: drawOperations,
  sizes: drawSizes,
};

function drawChartsIn(place) {
  for (const figure of place.querySelectorAll('[data-chart]:not(.live)')) charts[figure.dataset.chart](figure, figure.dataset.chart);
}

// Opens the section that `inside` is in, now: what its event calls would be too late on paper.
function openFold(inside) {
  const fold = inside?.closest('.fold');
  if (!fold) return;
  fold.open = true;
  drawChartsIn(fold);
}

function setUpFolds() {
  const folds = [...document.querySelectorAll('.fold')];
  for (const fold of folds) fold.addEventListener('toggle', () => { if (fold.open) drawChartsIn(fold); });
  const openAddressed = (hash) => openFold(hash.length > 1 ? document.getElementById(hash.slice(1)) : null);
  document.querySelector('nav').addEventListener('click', (event) => openAddressed(event.target.hash ?? ''));
  openAddressed(location.hash);
  let closed = [];
  window.addEventListener('beforeprint', () => {
    closed = folds.filter((fold) => !fold.open);
    closed.forEach(openFold);
  });
  window.addEventListener('afterprint', () => closed.forEach((fold) => { fold.open = false; }));
}

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
setUpFolds();
setUpTheme();
setUpTables();
setUpKernels();
drawChartsIn(document.getElementById('answer'));
document.body.dataset.ready = 'yes';
