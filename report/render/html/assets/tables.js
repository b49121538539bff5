// The ranking tables: one target at a time, sorted by any column, filtered.

// The value of the slowest rank where it differs from the mean rank's.
const ofSlowest = (kernel, name, t) => kernel.targets.slowest?.[name][t] ?? kernel.targets[name][t];
const columnValues = {
  rank: (kernel, t) => placeOf(kernel, t),
  rank_measured: (kernel, t) => kernel.targets.rank_measured[t] ?? Infinity,
  name: (kernel) => kernel.name.toLowerCase(),
  value: (kernel, t) => ofSlowest(kernel, 'value', t),
  high: (kernel, t) => ofSlowest(kernel, 'high', t),
  share: (kernel, t) => kernel.targets.share[t],
  // Kernels that do not scale come first, by rising scale at which they stop; then those that are undecided.
  scales: (kernel, t) => kernel.targets.scales[t] === false ? kernel.targets.stops_at[t] : kernel.targets.scales[t] ? 1e300 : 1e200,
  cause: (kernel, t) => kernel.targets.cause[t] ?? '\uffff',
  formula: (kernel) => kernel.formula,
};
const largestFirst = new Set(['value', 'high', 'share']);

function sortTable(ranking, header) {
  completeRows(ranking);
  const target = Number(ranking.dataset.target);
  const key = header.dataset.sort;
  const first = largestFirst.has(key) ? 'descending' : 'ascending';
  const second = first === 'ascending' ? 'descending' : 'ascending';
  const order = header.getAttribute('aria-sort') === first ? second : first;
  for (const other of ranking.querySelectorAll('th[aria-sort]')) other.removeAttribute('aria-sort');
  header.setAttribute('aria-sort', order);
  const sign = order === 'ascending' ? 1 : -1;
  const valueOf = columnValues[key];
  const body = ranking.querySelector('tbody');
  const rows = [...body.rows].map((row) => {
    const kernel = kernels.get(Number(row.dataset.id));
    return {row, value: valueOf(kernel, target), rank: placeOf(kernel, target)};
  });
  rows.sort((a, b) => a.value === b.value ? a.rank - b.rank : (a.value < b.value ? -sign : sign));
  body.append(...rows.map((entry) => entry.row));
  ranking.dispatchEvent(new Event('sorted', {bubbles: true}));
}

const icon = (name) => {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  const use = document.createElementNS('http://www.w3.org/2000/svg', 'use');
  svg.setAttribute('class', 'icon');
  use.setAttribute('href', `#i-${name}`);
  svg.append(use);
  return svg;
};

// A row like those of the page, for a kernel that was too small to be in it.
function makeRow(kernel, ranking) {
  const {target, scale} = ranking.dataset;
  const at = (name) => kernel.targets[name][target];
  const slowest = (name) => ofSlowest(kernel, name, target);
  const number = bounded(...['value', 'low', 'high'].map((name) => slowest(name) * (scale ?? 1)));
  const scales = at('scales') === null ? [at('exponent') === null ? '-' : '?']
                                       : at('scales') ? [icon('yes'), 'yes'] : [icon('no'), `no, from ${at('stops_at')}`];
  const cells = [
    ['n', [at('rank') ?? '?']],
    ['n', [at('rank_measured') ?? '-']],
    ['', [element('code', {text: kernel.name}), element('span', {class: 'place', text: kernel.module})]],
    ['n strong', [number.value]],
    ['n', [element('span', {class: 'quiet', text: `${number.low} - ${number.high}`})]],
    ...(scale ? [['n', [percentText(at('share'))]]] : []),
    [at('scales') === false ? 'bad' : '', scales],
    ['', [(scale ? at('cause') : kernel.formula) ?? '']],
  ];
  return element('tr', {'data-id': kernel.id, class: at('matters') ? '' : 'minor'},
                 cells.map(([classes, children]) => element('td', {class: classes}, children)));
}

function completeRows(ranking) {
  if (ranking.dataset.whole) return;
  ranking.dataset.whole = 'yes';
  const body = ranking.querySelector('tbody');
  const there = new Set([...body.rows].map((row) => Number(row.dataset.id)));
  const missing = data.kernels.filter((kernel) => kernel.metric === ranking.dataset.metric && !there.has(kernel.id));
  missing.sort((a, b) => placeOf(a, ranking.dataset.target) - placeOf(b, ranking.dataset.target));
  body.append(...missing.map((kernel) => makeRow(kernel, ranking)));
  ranking.querySelector('p')?.remove();
}

// The number of rows that are shown before a reader asks for all.
const kMostRows = 250;

function filterTable(ranking, {words, stopping, minor, all}) {
  const target = Number(ranking.dataset.target);
  if (words.length > 0 || minor || stopping) completeRows(ranking);
  let found = 0;
  const rows = ranking.querySelector('tbody').rows;
  for (const row of rows) {
    const kernel = kernels.get(Number(row.dataset.id));
    const text = `${kernel.name} ${kernel.module} ${kernel.file} ${kernel.targets.cause[target] ?? ''} ${kernel.kind}`.toLowerCase();
    const fits = words.every((word) => text.includes(word)) && (!stopping || kernel.targets.scales[target] === false) &&
                 (minor || words.length > 0 || kernel.targets.matters[target]);
    found += fits;
    row.hidden = !fits || (!all && found > kMostRows);
  }
  const whole = data.kernels.filter((kernel) => kernel.metric === ranking.dataset.metric).length;
  return {found, shown: all ? found : Math.min(found, kMostRows), whole};
}

function makeSortable(ranking) {
  for (const header of ranking.querySelectorAll('th[data-sort]')) {
    const title = header.textContent;
    header.replaceChildren(element('button', {type: 'button', text: title, onclick: () => sortTable(ranking, header)}));
  }
  ranking.addEventListener('click', (event) => {
    const row = event.target.closest('tbody tr');
    if (row && event.target.closest('code')) openKernel(Number(row.dataset.id));
  });
  ranking.addEventListener('keydown', (event) => {
    const row = event.target.closest('tbody tr');
    if (row && event.key === 'Enter' && event.target.tagName === 'CODE') openKernel(Number(row.dataset.id));
  });
  for (const name of [...ranking.querySelectorAll('td:nth-child(3) code')].slice(0, kMostRows)) name.tabIndex = 0;
  
}

function setUpTables() {
  const controls = document.getElementById('ranking-controls');
  const rankings = [...document.querySelectorAll('.ranking')];
  if (!controls || rankings.length === 0) return;
  rankings.forEach(makeSortable);
  const many = data.kernels.length > 25;
  const select = element('select', {'aria-label': 'Target', id: 'ranking-target'},
                         rankings.map((ranking, i) => element('option', {value: i, text: ranking.dataset.label})));
  const ofMain = rankings.map((ranking) => Number(ranking.dataset.target) === mainTarget);
  const withTime = rankings.findIndex((ranking, i) => ofMain[i] && ranking.dataset.metric.includes('time'));
  const mine = withTime >= 0 ? withTime : ofMain.indexOf(true);
  select.value = String(Math.max(0, mine));
  const search = element('input', {type: 'search', id: 'ranking-filter', placeholder: 'filter: name, file, cause', 'aria-label': 'Filter kernels'});
  const stopping = element('input', {type: 'checkbox', id: 'ranking-stopping'});
  const minor = element('input', {type: 'checkbox', id: 'ranking-minor'});
  minor.checked = !many;
  const count = element('span', {class: 'quiet', id: 'ranking-count', 'aria-live': 'polite'});
  const more = element('button', {type: 'button', text: 'Show all', hidden: ''});
  let all = false;
  const update = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter((word) => word);
    rankings.forEach((ranking, i) => {
      ranking.hidden = i !== Number(select.value);
      if (ranking.hidden) return;
      const {found, shown, whole} = filterTable(ranking, {words, stopping: stopping.checked, minor: minor.checked, all});
      count.textContent = shown < found ? `the first ${shown} of ${found} kernels` : `${found} of ${whole} kernels`;
      more.hidden = shown === found;
    });
  };
  for (const control of [select, search, stopping, minor]) {
    control.addEventListener('input', () => {
      all = false;
      update();
    });
  }
  for (const ranking of rankings) ranking.addEventListener('sorted', update);
  more.addEventListener('click', () => {
    all = true;
    update();
  });
  controls.append(select, search, element('label', {}, [stopping, ' does not scale']), element('label', {}, [minor, ' below 1% too']), count, more);
  if (rankings.length === 1) select.hidden = true;
  update();
}
