'use strict';
// The scripts show values of the data and compute nothing anew. Texts of other origin become text nodes only.

const data = JSON.parse(document.getElementById('findings').textContent);
// The origin of totals and times of MPI operations at measured scales.
const originOfTotals = data.total_is === 'modelled' ? 'modelled from runs' : 'measured';
const kernels = new Map(data.kernels.map((kernel) => [kernel.id, kernel]));

function element(tag, attributes = {}, children = []) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === 'text') made.textContent = value;
    else if (name.startsWith('on')) made.addEventListener(name.slice(2), value);
    else made.setAttribute(name, value);
  }
  made.append(...children);
  return made;
}

const processesOf = (at) => at[data.processes];
const pointText = (at) => Object.entries(at).map(([name, value]) => `${name}=${value}`).join(' ');
// Where two scales rank nothing, kernels stand as they did at the largest measured scale.
const placeOf = (kernel, t) => kernel.targets.rank[t] ?? kernel.targets.rank_measured[t] ?? Number.MAX_VALUE;

// The target that the report is about: the one with the most processes; of several, the last.
const mainTarget = data.targets.reduce(
    (best, target, i) => processesOf(target.at) >= processesOf(data.targets[best].at) ? i : best, 0);

// Configurations that differ from the main target in the number of processes only.
const likeMain = (at) => Object.entries(data.targets[mainTarget].at)
                             .every(([name, value]) => name === data.processes || at[name] === value);

function digits(value) {
  return value === 0 ? '0' : Number(value.toPrecision(4)).toString();
}

// A value and the ends of its interval with the digits that this allows, as core/text/bounded.cpp writes them.
function bounded(value, low, high) {
  const placeOf = (number) => Math.floor(Math.log10(Math.abs(number)));
  const text = (number, place, round) => {
    if (number === 0) return '0';
    const units = number / 10 ** place;
    const near = Math.round(units);
    const rounded = (Math.abs(units - near) < 1e-9 * Math.max(1, Math.abs(near)) ? near : round(units)) * 10 ** place;
    if (rounded === 0) return round === Math.round ? '0' : text(number, placeOf(number), round);
    const first = placeOf(rounded);
    return first < -4 || first > 6 ? digits(rounded) : rounded.toFixed(Math.max(0, -place));
  };
  const first = value === 0 ? 0 : placeOf(value);
  if (low === high) {
    const only = text(value, first - 3, Math.round);
    return {value: only, low: only, high: only};
  }
  let place = placeOf(Math.max(value - low, high - value));
  if (value !== 0) place = Math.min(Math.max(place, first - 3), first - 1);
  const end = (number, round) => number === value ? text(number, place, Math.round)
                                                  : text(number, Math.max(place, placeOf(number - value) - 1), round);
  const isNone = low > 0 && high > 100 * low;
  return {value: isNone ? '-' : text(value, place, Math.round), low: end(low, Math.floor), high: end(high, Math.ceil)};
}

function scaledText(value, units, base) {
  let step = 0;
  while (Math.abs(value) >= base && step + 1 < units.length) {
    value /= base;
    ++step;
  }
  return `${digits(value)} ${units[step]}`.trim();
}

// A value in the unit that the metric's name says: seconds, bytes, or a plain number.
function metricText(metric, value) {
  if (value === null || value === undefined) return '-';
  if (value === 0) return '0';
  if (metric.endsWith('_s')) {
    if (Math.abs(value) >= 1) return `${digits(value)} s`;
    return Math.abs(value) >= 1e-3 ? `${digits(value * 1e3)} ms` : `${digits(value * 1e6)} us`;
  }
  if (metric === 'bytes' || metric.endsWith('_bytes')) return scaledText(value, ['B', 'kB', 'MB', 'GB', 'TB', 'PB'], 1000);
  return Math.abs(value) < 1e6 ? digits(value) : scaledText(value / 1e6, ['M', 'G', 'T', 'P'], 1000);
}

const percentText = (fraction) => `${(100 * fraction).toFixed(1)}%`;

// A shorter name: the scopes of a C++ name are left out first, as the least important part.
function shortName(name, width) {
  const bare = name.replace(/\(anonymous namespace\)::/g, '').replace(/\(.*$/s, '') || name;
  return bare.length <= width ? bare : '...' + bare.slice(bare.length - width + 3);
}
