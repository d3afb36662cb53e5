import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { sanitizeLine } from "../../../../../kit/text/sanitize.ts";
import type { FoundSource } from "../../../run/run-view.ts";
import { toView } from "../../../run/to-view.ts";
import { toSafeUrl } from "../../../safe-url.ts";
import type { Turn } from "../../state/chat-state.ts";
import { usePage } from "../page-model.ts";

interface ShownSource {
  readonly source: FoundSource;
  readonly place: DOMRect;
}

/** Shows what a number in an answer stands for, beside the number that is pointed at or has the focus. */
export function CitationCard({ talk }: { readonly talk: { readonly current: HTMLElement | null } }) {
  const { chat } = usePage();
  const [shown, setShown] = useState<ShownSource | undefined>(undefined);
  const card = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const leaving = new AbortController();
    const show = ({ target }: Event): void => {
      const cite = target instanceof Element ? target.closest<HTMLElement>(".cite") : null;
      const turn = chat.peek().turns[cite?.closest<HTMLElement>(".turn")?.dataset.key ?? ""];
      const source = turn && findSource(turn, Number(cite?.dataset.n));
      setShown(source && cite ? { source, place: cite.getBoundingClientRect() } : undefined);
    };
    for (const name of ["pointerover", "focusin"])
      talk.current?.addEventListener(name, show, { signal: leaving.signal, passive: true });
    for (const name of ["pointerleave", "scroll"])
      talk.current?.addEventListener(name, () => setShown(undefined), { signal: leaving.signal, passive: true });
    return () => leaving.abort();
  }, []);
  useLayoutEffect(() => {
    const { current } = card;
    if (current === null || shown === undefined) return;
    const { left, top, bottom } = shown.place;
    current.style.left = `${Math.max(8, Math.min(left, innerWidth - current.offsetWidth - 8))}px`;
    const isBelow = top - current.offsetHeight - 8 < 0;
    current.style.top = `${isBelow ? bottom + 6 : top - current.offsetHeight - 6}px`;
  }, [shown]);
  if (shown === undefined) return null;
  const { title, url, snippet = "" } = shown.source;
  const href = toSafeUrl(url);
  // The link says the same to a screen reader.
  return (
    <div class="citation-card" ref={card} aria-hidden="true">
      <strong>{sanitizeLine(title || url)}</strong>
      {snippet && <span class="snippet">{sanitizeLine(snippet)}</span>}
      <span class="facts">{href === undefined ? sanitizeLine(url) : new URL(href).host}</span>
    </div>
  );
}

/** Returns the source of this number, with its words where the run has found it in this conversation. */
function findSource(turn: Turn, n: number): FoundSource | undefined {
  const view = toView(turn.run);
  const source = view.sources.find((each) => each.n === n);
  const found = view.steps
    .flatMap(({ items }) => items)
    .flatMap((item) => (item.kind === "call" ? (item.end?.top ?? []) : []))
    .find(({ url }) => url === source?.url);
  return source && { ...source, snippet: found?.snippet };
}
