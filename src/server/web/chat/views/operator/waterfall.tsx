import { useLayoutEffect, useRef } from "preact/hooks";
import { sanitizeLine } from "../../../../../kit/text/sanitize.ts";
import { toCallName } from "../../../../../render/event-lines.ts";
import { phaseTitles, texts } from "../../../texts.ts";
import type { OperatorSpans } from "../../api/operator.ts";
import { operatorTexts } from "../../state/operator-texts.ts";
import { usePage, useSay } from "../page-model.ts";

/** Is the width of the drawing of a bar, and the least that is seen of one. */
const width = 1000;
const least = 4;

/** Shows the turns and calls of a run as bars, each where it began and as long as it took. It is a table, for who does not see bars. */
export function Waterfall({ spans, total_ms, left_out }: OperatorSpans) {
  const { locale } = usePage();
  const say = useSay();
  const place = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => place.current?.focus(), []);
  const scale = width / Math.max(total_ms, 1);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls is reached by the keyboard
    // biome-ignore lint/a11y/useSemanticElements: a set of fields would be a part of a form
    <div class="data-table waterfall" role="group" aria-label={say(operatorTexts.waterfall)} tabIndex={0} ref={place}>
      <table>
        <thead>
          <tr>
            <th scope="col">{say(operatorTexts.step)}</th>
            {(["start", "length", "tokens"] as const).map((name) => (
              <th key={name} scope="col" data-number="true">
                {say(operatorTexts[name])}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {spans.map((span, index) => (
            <tr key={index} data-kind={span.kind} data-ok={span.ok}>
              <th scope="row">
                <span class="span-name">
                  {span.kind === "call" ? toCallName(span.name, locale.value) : renderTurn(span, say)}
                  {!span.ok && ` ✗ ${say(texts.failed)}`}
                </span>
                <svg aria-hidden="true" viewBox={`0 0 ${width} 10`} preserveAspectRatio="none">
                  <rect
                    x={Math.min(span.start_ms * scale, width - least)}
                    width={Math.max(span.duration_ms * scale, least)}
                    height={10}
                  />
                </svg>
              </th>
              <td data-number="true">{renderTime(span.start_ms)}</td>
              <td data-number="true">{renderTime(span.duration_ms)}</td>
              <td data-number="true">{span.total_tokens?.toLocaleString("en") ?? ""}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {left_out > 0 && (
        <p class="hint">
          {say({ zh: `还有 ${left_out} 个步骤没有显示。`, en: `${left_out} further steps are not shown.` })}
        </p>
      )}
    </div>
  );
}

type Span = OperatorSpans["spans"][number];

function renderTurn({ phase, name }: Span, say: ReturnType<typeof useSay>): string {
  const known = (["compact", "plan", "decide", "answer"] as const).find((each) => each === phase);
  return [known && say(phaseTitles[known]), sanitizeLine(name)].filter(Boolean).join(" · ");
}

function renderTime(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}
