import { useEffect, useRef, useState } from "preact/hooks";
import { sanitizeLine } from "../../../../../kit/text/sanitize.ts";
import { renderDollars } from "../../../../../render/known-cost.ts";
import type { DrawnPlot } from "../../../parts/part-shapes.ts";
import type { OperatorUsage } from "../../api/operator.ts";
import { operatorTexts } from "../../state/operator-texts.ts";
import { usePage, useSay } from "../page-model.ts";

type Series = OperatorUsage["models"];

export interface UsagePlotProps {
  /** Says how many days are shown, today included. */
  readonly length: number;
  readonly series: Series;
  readonly shows: "cost" | "tokens";
}

/** Shows a bar for each day, with those who used something upon one another. The tables below say the same in figures. */
export function UsagePlot({ length, series, shows }: UsagePlotProps) {
  const { parts, theme } = usePage();
  const nameOf = useName();
  const place = useRef<HTMLDivElement>(null);
  const legend = useRef<HTMLElement>(null);
  const [pointed, setPointed] = useState<number | undefined>(undefined);
  const days = listDays(length);
  const format = shows === "cost" ? renderDollars : (count: number) => count.toLocaleString("en");
  const values = series.map((each) => {
    const known = new Map(
      each.days.map((entry) => [entry.day, shows === "cost" ? entry.cost_usd : entry.total_tokens]),
    );
    return days.map((day) => known.get(day) ?? 0);
  });
  const readColour = (index: number): string => {
    const mark = legend.current?.querySelectorAll(".mark")[index];
    return mark ? getComputedStyle(mark).backgroundColor : "";
  };
  useEffect(() => {
    let drawn: DrawnPlot | undefined;
    let isOver = false;
    const scheme = window.matchMedia("(prefers-color-scheme: dark)");
    const updateColours = (): void => drawn?.redraw();
    parts.usePlot((part) => {
      if (isOver || place.current === null) return;
      drawn = part.drawBars(place.current, {
        ...{ days, series: values, format, getColour: readColour, onDay: setPointed },
        getWordColour: () => (legend.current ? getComputedStyle(legend.current).color : ""),
      });
    });
    scheme.addEventListener("change", updateColours);
    return () => {
      isOver = true;
      scheme.removeEventListener("change", updateColours);
      drawn?.close();
    };
  }, [series, shows, theme.value]);
  return (
    <figure class="plot" aria-hidden="true">
      <div class="plot-place" ref={place} />
      <figcaption ref={legend}>
        {pointed !== undefined && <b>{days[pointed]}</b>}
        {series.map((each, index) => (
          <span key={index}>
            <i class={`mark mark-${index}`} />
            {nameOf(each)}
            {pointed !== undefined && ` ${format(values[index]?.[pointed] ?? 0)}`}
          </span>
        ))}
      </figcaption>
    </figure>
  );
}

/** Returns what names a model or a caller of the sums. */
export function useName(): (one: Pick<Series[number], "name" | "is_rest">) => string {
  const say = useSay();
  return ({ name, is_rest }) => {
    if (is_rest) return say(operatorTexts.rest);
    return name === null ? say(operatorTexts.operator) : sanitizeLine(name);
  };
}

/** Lists the last days of UTC, the oldest first. */
function listDays(length: number): string[] {
  const today = Date.now();
  return Array.from({ length }, (_, index) => {
    return new Date(today - (length - 1 - index) * 86_400_000).toISOString().slice(0, 10);
  });
}
