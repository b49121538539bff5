// The charts of the whole run and of the ranking.

// `kind`: "speedup", "efficiency".
function drawScaling(figure, kind) {
  const samples = data.curve.samples;
  const base = processesOf(data.base);
  const x = (sample) => processesOf(sample.at);
  const measured = samples.filter((s) => s[`measured_${kind}`] !== null).map((s) => ({x: x(s), y: s[`measured_${kind}`]}));
  const curve = samples.map((s) => ({x: x(s), y: s[kind].value, low: s[kind].low, high: s[kind].high}));
  const ends = [samples[0], samples[samples.length - 1]];
  mount(figure, (colours) => curveConfig(colours, {
    name: '',
    curve,
    points: measured,
    pointsAre: originOfTotals,
    logarithmic: kind === 'speedup',
    ideal: ends.map((s) => ({x: x(s), y: kind === 'speedup' ? x(s) / base : 1})),
    bound: kind === 'efficiency' ? ends.map((s) => ({x: x(s), y: data.curve.sweet_spot.bound})) : null,
    text: kind === 'speedup' ? digits : (value) => `${digits(100 * value)}%`,
  }));
}

// Kernels that are among the first at the smallest or the largest scale, and those that stop scaling there.
function bumpKernels(configurations) {
  const kFirst = 10;
  const metric = data.kernels[0]?.metric;
  const chosen = data.kernels.filter((k) => k.metric === metric && !k.pooled && k.evidence).filter((k) => {
    const ranks = configurations.map((c) => k.evidence.measured_ranks[c]).filter((rank) => rank > 0);
    return placeOf(k, mainTarget) <= kFirst || ranks.some((rank) => rank <= 6) ||
           (k.targets.scales[mainTarget] === false && k.targets.matters[mainTarget]);
  });
  return chosen.sort((a, b) => placeOf(a, mainTarget) - placeOf(b, mainTarget)).slice(0, 16);
}

// Names at the right ends of the lines, where they can be read; on narrow screens the pointer shows them.
const endLabels = {
  id: 'endLabels',
  afterDatasetsDraw(chart) {
    const context = chart.ctx;
    if (chart.width < 620) return;
    context.save();
    context.font = `12px ${baseFont.family}`;
    context.textBaseline = 'middle';
    chart.data.datasets.forEach((dataset, i) => {
      const last = chart.getDatasetMeta(i).data.filter((point) => !point.skip).at(-1);
      if (!chart.isDatasetVisible(i) || !last || last.y > chart.chartArea.bottom + 2) return;
      context.fillStyle = dataset.textColour;
      context.fillText(`${dataset.data.at(-1) ?? '?'}  ${dataset.label}`, last.x + 10, last.y);
    });
    context.restore();
  },
};

function drawBump(figure) {
  const configurations = data.measured.map((at, i) => i).filter((i) => likeMain(data.measured[i]));
  const targets = data.targets.map((target, i) => i).filter((i) => likeMain(data.targets[i].at))
                      .sort((a, b) => processesOf(data.targets[a].at) - processesOf(data.targets[b].at));
  const chosen = bumpKernels(configurations);
  if (chosen.length < 2 || configurations.length + targets.length < 2) {
    figure.remove();
    return;
  }
  const labels = [...configurations.map((i) => pointText(data.measured[i])), ...targets.map((i) => `${pointText(data.targets[i].at)} *`)];
  const deepest = Math.min(20, Math.max(...chosen.map((k) => placeOf(k, mainTarget))));
  mount(figure, (colours) => {
    let next = 0;
    return {
      type: 'line',
      plugins: [endLabels],
      data: {
        labels,
        datasets: chosen.map((kernel) => {
          const stops = kernel.targets.scales[mainTarget] === false;
          const colour = stops ? colours.series[[5, 1, 3, 0, 2, 4, 6][next++ % 7]] : colours.quiet;
          return {
            label: shortName(kernel.name, 34),
            kernel,
            data: [...configurations.map((c) => kernel.evidence.measured_ranks[c] || null), ...targets.map((t) => kernel.targets.rank[t])],
            borderColor: colour,
            backgroundColor: colours.page,
            textColour: stops ? colours.text : colours.quiet,
            borderWidth: stops ? 3 : 1.2,
            pointRadius: stops ? 4 : 2.5,
            pointBorderWidth: stops ? 2.5 : 1.2,
            tension: 0.25,
            spanGaps: true,
            order: stops ? 0 : 1,
            segment: {borderDash: (piece) => piece.p1DataIndex >= configurations.length ? [6, 4] : undefined},
          };
        }),
      },
      options: {
        animation: false,
        maintainAspectRatio: false,
        layout: {padding: (context) => ({top: 8, right: context.chart.width < 620 ? 12 : 290, left: 4})},
        scales: {
          x: axis(colours, {grid: {display: false}}),
          y: axis(colours, {reverse: true, min: 0.5, max: deepest + 0.5, grid: {display: false},
                            afterBuildTicks: (scale) => { scale.ticks = Array.from({length: deepest}, (unused, i) => ({value: i + 1})); },
                            title: {display: true, text: 'rank'}}),
        },
        onClick: (event, items) => { if (items.length) openKernel(chosen[items[0].datasetIndex].id); },
        plugins: {
          // The legend is shown where there is no room for the names at the lines' ends.
          legend: {...boxLegend(colours), display: figure.clientWidth < 620},
          tooltip: {...tooltip(colours, (item) => {
            const cause = item.dataset.kernel.targets.cause[mainTarget];
            return `${item.formattedValue}: ${item.dataset.label}${cause ? ` (${cause})` : ''}`;
          }), mode: 'nearest', filter: undefined},
        },
      },
    };
  }, 'tall');
}
