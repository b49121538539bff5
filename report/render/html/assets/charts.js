// Charts: colours of the page, logarithmic axes, intervals, zooming.

const mounted = new Set();

function palette() {
  const style = getComputedStyle(document.documentElement);
  const of = (name) => style.getPropertyValue(name).trim();
  return {
    text: of('--text'),
    quiet: of('--quiet'),
    line: of('--line'),
    page: of('--page'),
    accent: of('--accent'),
    band: of('--band'),
    bad: of('--bad'),
    // Okabe and Ito's colours, which can be told apart with every kind of colour blindness.
    series: ['#0072b2', '#e69f00', '#009e73', '#cc79a7', '#56b4e9', '#d55e00', '#b8a800', '#8a8f94'],
  };
}

// Draws what `build(palette)` returns below `figure`, again whenever the colours change.
function mount(figure, build, size = '') {
  const canvas = element('canvas', {role: 'img'});
  const caption = figure.querySelector('figcaption');
  if (caption) canvas.setAttribute('aria-label', caption.textContent);
  const box = element('div', {class: `canvas ${size}`}, [canvas]);
  figure.append(box);
  figure.classList.add('live');
  const entry = {build, canvas, chart: null};
  entry.draw = () => {
    if (entry.chart) entry.chart.destroy();
    entry.chart = new Chart(canvas, build(palette()));
  };
  entry.draw();
  makeZoomable(box, entry);
  mounted.add(entry);
}

function redrawAll() {
  for (const entry of mounted) entry.draw();
}

// Lets the reader zoom by dragging over a range of the x axis; a button shows all of it again.
function makeZoomable(box, entry) {
  if (entry.chart.options.scales.x?.type !== 'logarithmic') return;
  const selection = element('div', {class: 'selection', hidden: ''});
  const reset = element('button', {type: 'button', class: 'zoom-out', hidden: '', text: 'All'});
  box.append(selection, reset);
  let from = null;
  const place = (event) => event.clientX - entry.canvas.getBoundingClientRect().left;
  const zoom = (min, max) => {
    const x = entry.chart.options.scales.x;
    x.full ??= {min: x.min, max: x.max};
    x.min = min ?? x.full.min;
    x.max = max ?? x.full.max;
    reset.hidden = min === null;
    entry.chart.update('none');
  };
  entry.canvas.addEventListener('pointerdown', (event) => {
    if (event.pointerType === 'touch') return;
    from = place(event);
  });
  entry.canvas.addEventListener('pointermove', (event) => {
    if (from === null) return;
    const to = place(event);
    selection.hidden = Math.abs(to - from) < 8;
    selection.style.left = `${Math.min(from, to)}px`;
    selection.style.width = `${Math.abs(to - from)}px`;
  });
  window.addEventListener('pointerup', (event) => {
    if (from === null) return;
    const to = place(event);
    const scale = entry.chart.scales.x;
    if (Math.abs(to - from) >= 8) {
      const ends = [from, to].map((pixel) => scale.getValueForPixel(pixel)).sort((a, b) => a - b);
      zoom(Math.max(ends[0], scale.min), Math.min(ends[1], scale.max));
    }
    from = null;
    selection.hidden = true;
  });
  reset.addEventListener('click', () => zoom(null, null));
  entry.canvas.addEventListener('dblclick', () => zoom(null, null));
}

const baseFont = {family: 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif', size: 12};

function axis(colours, more = {}) {
  return {
    ...more,
    grid: {color: colours.line, drawBorder: false, ...more.grid},
    ticks: {color: colours.quiet, font: baseFont, ...more.ticks},
    title: {color: colours.quiet, font: baseFont, ...more.title},
  };
}

// An axis of processes with its ticks at these scales.
function processAxis(colours, scales) {
  const first = Math.min(...scales);
  const last = Math.max(...scales);
  return axis(colours, {
    type: 'logarithmic',
    min: first === last ? first / 2 : first,
    max: first === last ? last * 2 : last,
    title: {display: true, text: data.processes},
    grid: {display: false},
    ticks: {maxRotation: 0, callback: (value) => String(value)},
    afterBuildTicks: (scale) => {
      scale.ticks = scales.filter((v) => v >= scale.min && v <= scale.max).map((value) => ({value}));
    },
  });
}

// At most eight round numbers.
function logarithmicTicks(least, most) {
  for (const steps of [[1, 1.5, 2, 3, 4, 5, 6, 8], [1, 2, 3, 5], [1, 2, 5], [1, 3], [1]]) {
    const ticks = [];
    for (let power = Math.floor(Math.log10(least)); power <= Math.log10(most); ++power) {
      for (const step of steps) {
        const value = Number(`${step}e${power}`);
        if (value >= least && value <= most) ticks.push(value);
      }
    }
    if (ticks.length <= 8 || steps.length === 1) return ticks.filter((v, i) => i % Math.ceil(ticks.length / 8) === 0);
  }
}

function linearTicks(most) {
  const power = 10 ** Math.floor(Math.log10(most));
  const step = [0.1, 0.2, 0.25, 0.5, 1, 2].map((s) => s * power).find((s) => most / s <= 6) ?? power;
  return Array.from({length: Math.floor(most / step) + 1}, (unused, i) => Number((i * step).toPrecision(6)));
}

// A legend that shows one entry for a curve, its points and its interval, and hides them together.
function legend(colours) {
  return {
    position: 'bottom',
    labels: {
      color: colours.text,
      font: baseFont,
      usePointStyle: true,
      boxWidth: 8,
      boxHeight: 8,
      filter: (item, all) => all.datasets[item.datasetIndex].named !== false,
    },
    onClick: (event, item, shown) => {
      const chart = shown.chart;
      const group = chart.data.datasets[item.datasetIndex].group;
      const visible = chart.isDatasetVisible(item.datasetIndex);
      chart.data.datasets.forEach((dataset, i) => {
        if (i === item.datasetIndex || (group !== undefined && dataset.group === group)) chart.setDatasetVisibility(i, !visible);
      });
      chart.update();
    },
  };
}

function tooltip(colours, label) {
  return {
    mode: 'x',
    intersect: false,
    backgroundColor: colours.page,
    titleColor: colours.text,
    bodyColor: colours.text,
    borderColor: colours.line,
    borderWidth: 1,
    titleFont: baseFont,
    bodyFont: baseFont,
    filter: (item) => item.dataset.named !== false || item.dataset.told === true,
    callbacks: {label},
  };
}

// A curve with its interval and the points of the runs. `curve` and `points` are lists of {x, y, low, high}.
function curveConfig(colours, {name, curve, points, pointsAre = 'measured', ideal, bound, logarithmic, text, plain = false, scales}) {
  const values = [...curve, ...points].map((p) => p.y).filter((y) => y > 0);
  const least = values.length ? Math.min(...values) : 1;
  const most = values.length ? Math.max(...values) : 1;
  // Limits the ends of an interval: it may reach to 0, which a logarithmic axis does not have, and far above the curve.
  const clamp = (y) => logarithmic ? Math.max(y, least / 100) : y;
  const line = (list, of) => list.map((p) => ({x: p.x, y: clamp(of(p)), p}));
  const datasets = [];
  if (curve.length) {
    const edge = {type: 'line', pointRadius: 0, borderWidth: 0, named: false, group: 'curve', order: 3};
    datasets.push({...edge, label: 'high', data: line(curve, (p) => p.high), fill: '+1', backgroundColor: colours.band});
    datasets.push({...edge, label: 'low', data: line(curve, (p) => p.low), fill: false});
    datasets.push({type: 'line', label: 'predicted', group: 'curve', data: line(curve, (p) => p.y), borderColor: colours.accent, pointStyle: 'line',
                   backgroundColor: colours.accent, borderWidth: 2, pointRadius: 0, pointHitRadius: 12, order: 2});
  }
  if (points.length) {
    datasets.push({type: 'scatter', label: pointsAre, data: line(points, (p) => p.y), borderColor: colours.accent,
                   backgroundColor: colours.page, borderWidth: 2, pointRadius: 4, pointHoverRadius: 5, clip: 8, order: 1});
  }
  const dashed = {type: 'line', pointStyle: 'line', pointRadius: 0, borderWidth: 1.2, order: 4};
  if (ideal) datasets.push({...dashed, label: 'ideal', data: ideal, borderColor: colours.quiet, backgroundColor: colours.quiet, borderDash: [2, 4]});
  if (bound) datasets.push({...dashed, label: 'bound', data: bound, borderColor: colours.bad, backgroundColor: colours.bad, borderDash: [6, 4]});
  scales ??= [...new Set([...curve, ...points].map((p) => p.x))].sort((a, b) => a - b);
  const idealMost = ideal ? Math.max(...ideal.map((p) => p.y)) : 0;
  return {
    data: {datasets},
    options: {
      animation: false,
      maintainAspectRatio: false,
      layout: {padding: {top: 8, right: 12}},
      scales: {
        x: processAxis(colours, scales),
        y: axis(colours, {
          type: logarithmic ? 'logarithmic' : 'linear',
          min: logarithmic ? least / 1.6 : 0,
          // The axis shows only as much of the interval as leaves the curve readable.
          max: Math.max(most * (logarithmic ? 1.6 : 1.15), idealMost * 1.05,
                        logarithmic && curve.length ? Math.min(10 * most, 1.1 * Math.max(...curve.map((p) => p.high))) : 0),
          ticks: {callback: (value) => text(value), autoSkip: false},
          afterBuildTicks: (scale) => {
            scale.ticks = (logarithmic ? logarithmicTicks(scale.min, scale.max) : linearTicks(scale.max)).map((value) => ({value}));
          },
        }),
      },
      plugins: {
        legend: {...legend(colours), display: datasets.length > 1 && !plain},
        tooltip: tooltip(colours, (item) => {
          const p = item.raw.p;
          if (!p) return `${item.dataset.label}: ${text(item.raw.y)}`;
          const range = p.low !== undefined && p.low !== p.high ? ` (${text(p.low)} - ${text(p.high)})` : '';
          return `${item.dataset.label}${name ? ` ${name}` : ''}: ${text(p.y)}${range}`;
        }),
      },
    },
  };
}
