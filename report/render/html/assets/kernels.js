// The evidence of a kernel. Charts are drawn when it is opened, and the text is made from the data where the page lacks
// it.

function metricPoints(metric) {
  return metric.measured.at.map((configuration, i) => ({configuration, i})).filter(({configuration}) => likeMain(data.measured[configuration]))
      .map(({configuration, i}) => ({
        x: processesOf(data.measured[configuration]),
        y: metric.measured.mean[i],
        low: metric.measured.low?.[i],
        high: metric.measured.high?.[i],
      }));
}

function metricCurve(metric) {
  if (!metric.curve) return [];
  return data.evidence_at.map((at, i) => ({x: processesOf(at), y: metric.curve.value[i], low: metric.curve.low[i], high: metric.curve.high[i]}));
}

const metricNames = {
  time_s: 'Time of a rank, mean',
  critical_s: 'Time of the slowest rank',
  elapsed_s: 'Elapsed time of a rank, mean',
  blocked_s: 'Blocked time of a rank, mean',
  t_comp_s: 'T_comp: executing instructions',
  t_stall_s: 'T_stall: stalled',
  t_stall_high_s: 'T_stall, at most',
  t_mem_s: 'T_mem: all memory accesses one after the other',
  t_mem_l1_s: 'T_L1: hits of the first level',
  t_mem_l2_s: 'T_L2: hits of the second level',
  t_mem_llc_s: 'T_LLC: hits of the last level',
  t_mem_memory_s: 'T_memory: accesses to main memory',
  bf_mem: 'BF_mem: part of T_mem that is not hidden',
  bf_mem_high: 'BF_mem, at most',
  cpi: 'CPI: cycles an instruction, without stalls',
  instructions: 'Instructions of a rank',
  calls: 'Calls of all ranks',
  bytes: 'Bytes of all ranks',
};

function metricFigure(kernel, metric, size) {
  const figure = element('figure', {}, [element('figcaption', {text: (data.provenance && metricNames[metric.name]) || metric.name})]);
  const points = metricPoints(metric);
  const curve = metricCurve(metric);
  if (![...points, ...curve].some((p) => p.y > 0)) return null;
  const ratio = /ratio$|^bf_mem|^cpi$|^hz$/.test(metric.name);
  return {figure, draw: () => mount(figure, (colours) => curveConfig(colours, {
    name: '', curve, points, pointsAre: kernel.kind === 'mpi' && metric.name === 'time_s' ? originOfTotals : 'measured', logarithmic: !ratio, text: (value) => metricText(metric.name, value), plain: size !== '',
    scales: [...new Set([...data.evidence_at.map(processesOf), ...points.map((p) => p.x)])].sort((a, b) => a - b),
  }), size)};
}

// The parts of the time as bars: measured ones, then predicted ones where they are modelled.
function splitFigure(kernel) {
  const find = (name) => kernel.evidence.metrics.find((metric) => metric.name === name);
  const parts = [['t_comp_s', 'T_comp'], ['t_stall_s', 'T_stall']].filter(([name]) => find(name));
  if (parts.length < 2) return null;
  const configurations = data.measured.map((at, i) => i).filter((i) => likeMain(data.measured[i]));
  const further = parts.every(([name]) => find(name).curve)
      ? data.evidence_at.map((at, i) => i).filter((i) => data.targets.some((t) => pointText(t.at) === pointText(data.evidence_at[i]))) : [];
  const labels = [...configurations.map((i) => pointText(data.measured[i])), ...further.map((i) => `${pointText(data.evidence_at[i])} *`)];
  const figure = element('figure', {}, [element('figcaption', {text: 'What the time is made of (* predicted)'})]);
  return {figure, draw: () => mount(figure, (colours) => stackedConfig(colours, labels, parts.map(([name, label]) => {
    const metric = find(name);
    const measured = configurations.map((c) => metric.measured.mean[metric.measured.at.indexOf(c)] ?? null);
    return {label, values: [...measured, ...further.map((i) => metric.curve.value[i])]};
  }), (value) => metricText('time_s', value)), 'small')};
}

function drawEvidence(kernel, place) {
  const pieces = [];
  kernel.evidence.metrics.forEach((metric, i) => {
    if (metric.measured.at.length) pieces.push(metricFigure(kernel, metric, i === 0 ? '' : 'small'));
    if (i === 0) pieces.push(splitFigure(kernel));
  });
  const made = pieces.filter((piece) => piece);
  place.append(...made.map((piece) => piece.figure));
  for (const piece of made) piece.draw();
}

function evidenceTable(kernel) {
  const head = element('tr', {}, ['metric', ...data.measured.map(pointText), 'formula'].map((text, i) => element('th', {scope: 'col', text, class: i > 0 && i <= data.measured.length ? 'n' : ''})));
  const rows = kernel.evidence.metrics.map((metric) => element('tr', {}, [
    element('th', {scope: 'row', text: metric.name}),
    ...data.measured.map((at, c) => element('td', {class: 'n', text: metricText(metric.name, metric.measured.mean[metric.measured.at.indexOf(c)])})),
    element('td', {}, [element('code', {text: metric.formula ?? ''})]),
  ]));
  return element('div', {class: 'scroll'}, [element('table', {}, [element('thead', {}, [head]), element('tbody', {}, rows)])]);
}

function makeKernel(kernel) {
  const t = mainTarget;
  const value = (name) => metricText(kernel.metric, kernel.targets[name][t]);
  const facts = [
    ['name', kernel.name],
    ['source', [kernel.file && `${kernel.file}${kernel.line > 0 ? `:${kernel.line}` : ''}`, kernel.module].filter((text) => text).join(', ')],
    [pointText(data.targets[t].at), `${value('value')} (${value('low')} - ${value('high')})`],
    ['why not', [kernel.targets.cause[t], kernel.targets.cause_evidence[t]].filter((text) => text).join(': ')],
    ['model', kernel.formula + (kernel.formula_note ? `; ${kernel.formula_note}` : '')],
    ['cost', kernel.cost],
    ['resources', Object.values(kernel.resource_notes).join('; ')],
  ].filter(([, text]) => text);
  const list = element('dl', {}, facts.flatMap(([name, text]) => [element('dt', {text: name}), element('dd', {text})]));
  const summary = element('summary', {}, [
    element('span', {class: 'rank', text: kernel.targets.rank[t] ?? '?'}), ' ', element('code', {text: shortName(kernel.name, 90)}), ' ',
    element('span', {class: 'quiet', text: value('value')}),
  ]);
  const made = element('details', {class: 'kernel', 'data-id': kernel.id}, [summary, list, element('div', {class: 'charts'}), evidenceTable(kernel)]);
  if (!kernel.evidence.complete) {
    made.append(element('p', {class: 'quiet', text: 'Of a kernel that is small at every scale only the time is kept; scalediag models prints the rest.'}));
  }
  document.getElementById('opened').append(made);
  setUpKernel(made);
  return made;
}

function setUpKernel(details) {
  details.addEventListener('toggle', () => {
    const place = details.querySelector('.charts');
    if (!details.open || place.childElementCount > 0) return;
    const kernel = kernels.get(Number(details.dataset.id));
    if (kernel?.evidence) drawEvidence(kernel, place);
  });
}

function openKernel(id) {
  const kernel = kernels.get(id);
  if (!kernel?.evidence) return;
  const details = document.querySelector(`details.kernel[data-id="${id}"]`) ?? makeKernel(kernel);
  openFold(details);
  details.open = true;
  details.scrollIntoView({block: 'start'});
  details.querySelector('summary').focus({preventScroll: true});
}

function setUpKernels() {
  document.querySelectorAll('details.kernel').forEach(setUpKernel);
}
