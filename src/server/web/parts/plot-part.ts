import uPlot from "uplot";
import type { PlotPart } from "./part-shapes.ts";

const height = 240;

/**
 * Draws bars, one for each day, with the values of the series upon one another. It sets styles through elements alone, as the policy
 * asks.
 */
export const drawBars: PlotPart["drawBars"] = (place, { days, series, format, getColour, getWordColour, onDay }) => {
  // Each one stands upon those before it, so that the whole bar is drawn first and those before it over it.
  const sums = series.map((_, index) =>
    days.map((_, day) => series.slice(0, index + 1).reduce((sum, values) => sum + (values[day] ?? 0), 0)),
  );
  const drawn = sums.map((values, index) => ({ values, index })).reverse();
  const paths = uPlot.paths.bars?.({ size: [0.72, 44] });
  const axis = { stroke: getWordColour, ticks: { show: false }, font: "12px system-ui, sans-serif" };
  const plot = new uPlot(
    {
      width: place.clientWidth,
      height,
      legend: { show: false },
      cursor: { drag: { x: false, y: false }, points: { show: false }, y: false },
      scales: {
        x: { time: false, range: () => [-0.6, days.length - 0.4] },
        y: { range: (_, __, highest) => [0, highest > 0 ? highest * 1.05 : 1] },
      },
      axes: [
        {
          ...axis,
          grid: { show: false },
          incrs: [1, 2, 5, 7, 14, 30],
          space: 44,
          values: (_, places) => places.map((at) => days[at]?.slice(5) ?? ""),
        },
        {
          ...axis,
          size: 64,
          grid: { stroke: getWordColour, width: 0.2 },
          values: (_, places) => places.map(format),
        },
      ],
      series: [
        {},
        ...drawn.map(({ index }) => ({
          fill: () => getColour(index),
          width: 0,
          points: { show: false },
          ...(paths && { paths }),
        })),
      ],
      hooks: { setCursor: [({ cursor }) => onDay(cursor.idx ?? undefined)] },
    },
    [days.map((_, index) => index), ...drawn.map(({ values }) => values)],
    place,
  );
  const observer = new ResizeObserver(() => plot.setSize({ width: place.clientWidth, height }));
  observer.observe(place);
  return {
    // The colour of a bar is kept with its path.
    redraw: () => plot.redraw(true, true),
    close() {
      observer.disconnect();
      plot.destroy();
    },
  };
};
