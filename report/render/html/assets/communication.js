// Charts of communication.

function boxLegend(colours) {
  const boxes = legend(colours);
  boxes.labels = {...boxes.labels, usePointStyle: false, boxWidth: 12, boxHeight: 8};
  return boxes;
}

function stackedConfig(colours, labels, series, text) {
  return {
    type: 'bar',
    data: {
      labels,
      datasets: series.map(({label, values}, i) => ({label, data: values, backgroundColor: colours.series[i % colours.series.length], maxBarThickness: 46})),
    },
    options: {
      animation: false,
      maintainAspectRatio: false,
      scales: {
        x: axis(colours, {stacked: true, grid: {display: false}}),
        y: axis(colours, {stacked: true, ticks: {callback: text, maxTicksLimit: 6}}),
      },
      plugins: {legend: boxLegend(colours), tooltip: {...tooltip(colours, (item) => `${item.dataset.label}: ${text(item.raw)}`), mode: 'index', filter: (item) => item.raw > 0}},
    },
  };
}

function drawOperations(figure) {
  const configurations = data.measured.map((at, i) => i).filter((i) => likeMain(data.measured[i]));
  const targets = data.targets.map((target, i) => i).filter((i) => likeMain(data.targets[i].at));
  const operations = data.kernels.filter((kernel) => kernel.kind === 'mpi').map((kernel) => {
    const time = kernel.evidence.metrics.find((metric) => metric.name === 'time_s');
    const measured = configurations.map((c) => time?.measured.mean[time.measured.at.indexOf(c)] ?? 0);
    const values = [...measured, ...targets.map((t) => kernel.targets.value[t])];
    return {label: kernel.name, values, most: Math.max(...values)};
  }).sort((a, b) => b.most - a.most);
  const kShown = 7;
  const series = operations.slice(0, kShown);
  const rest = operations.slice(kShown);
  if (rest.length) series.push({label: `${rest.length} others`, values: rest[0].values.map((unused, i) => rest.reduce((sum, o) => sum + o.values[i], 0))});
  const labels = [...configurations.map((i) => pointText(data.measured[i])), ...targets.map((t) => `${pointText(data.targets[t].at)} *`)];
  mount(figure, (colours) => stackedConfig(colours, labels, series, (value) => metricText('time_s', value)));
}

function drawSizes(figure) {
  const sizes = data.traffic.sizes.slice(0, 7);
  const bins = [...new Set(sizes.flatMap((o) => o.bytes_from))].sort((a, b) => a - b);
  const text = (bytes) => metricText('bytes', bytes);
  mount(figure, (colours) => ({
    type: 'bar',
    data: {
      labels: bins.map(text),
      datasets: sizes.map((o, i) => ({
        label: o.operation,
        data: bins.map((bin) => o.calls[o.bytes_from.indexOf(bin)] ?? null),
        backgroundColor: colours.series[i % colours.series.length],
        maxBarThickness: 30,
        skipNull: true,
        operation: o,
      })),
    },
    options: {
      animation: false,
      maintainAspectRatio: false,
      scales: {
        x: axis(colours, {grid: {display: false}, title: {display: true, text: 'bytes a call, from'}}),
        y: axis(colours, {type: 'logarithmic', title: {display: true, text: 'calls of all ranks'},
                          ticks: {callback: (value) => Number.isInteger(Math.log10(value)) ? metricText('calls', value) : ''}}),
      },
      plugins: {legend: boxLegend(colours), tooltip: {...tooltip(colours, (item) => {
        const at = item.dataset.operation.bytes_from.indexOf(bins[item.dataIndex]);
        return `${item.dataset.label}: ${metricText('calls', item.raw)} calls, ${text(item.dataset.operation.bytes[at])}`;
      }), mode: 'index', filter: (item) => item.raw > 0}},
    },
  }));
}
