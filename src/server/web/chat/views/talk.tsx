import type { VNode } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { ChatState, TalkItem, Turn } from "../state/chat-state.ts";
import { chatTexts } from "../state/chat-texts.ts";
import { Icon } from "./controls/icon.tsx";
import { usePage, useSay } from "./page-model.ts";
import { CitationCard } from "./turn/citation-card.tsx";
import { TurnView } from "./turn/turn.tsx";
import { Welcome } from "./welcome.tsx";

/** Within this distance from the end, in CSS pixels, the view follows new text. */
const nearEnd = 80;

/** Shows questions and answers. It stays scrolled to its end as long as the reader does. */
export function Talk() {
  const { chat } = usePage();
  const say = useSay();
  const talk = useRef<HTMLElement>(null);
  const { items, conversationId } = chat.value;
  const rows = useSlices(useRows(chat.value), conversationId);
  const { isAtEnd, scrollToEnd } = useFollowedEnd(talk, chat.value, rows.length);
  const isNew = conversationId === undefined && items.every(({ kind }) => kind === "note");
  return (
    <main class="talk" id="talk" tabIndex={-1} aria-label={say(chatTexts.talk)} ref={talk}>
      {isNew && <Welcome />}
      <ol class="turns">{rows}</ol>
      <CitationCard talk={talk} />
      {!isAtEnd && items.length > 0 && (
        <button type="button" class="to-end" aria-label={say(chatTexts.toEnd)} onClick={scrollToEnd}>
          <Icon name="down" />
        </button>
      )}
    </main>
  );
}

/** A row whose turn is the same has the same node, which Preact then leaves alone: of a long conversation, one turn is drawn. */
function useRows({ items, turns }: ChatState): VNode[] {
  const known = useRef(new Map<string, { turn: Turn; isNewest: boolean; row: VNode }>());
  const newest = items.findLast(({ kind }) => kind === "turn")?.key;
  return useMemo(() => {
    const before = known.current;
    known.current = new Map();
    return items.flatMap((item) => {
      if (item.kind === "note") return [<Note key={item.key} item={item} />];
      const turn = turns[item.key];
      if (turn === undefined) return [];
      const isNewest = item.key === newest;
      const { key } = item;
      const kept = before.get(key);
      const isSame = kept?.turn === turn && kept.isNewest === isNewest;
      const row = isSame ? kept.row : <TurnView key={key} turn={turn} isNewest={isNewest} />;
      known.current.set(key, { turn, isNewest, row });
      return [row];
    });
  }, [items, turns]);
}

/** Draws the end of a long conversation first, and the rest in slices that each hold the page up for a few milliseconds. */
const firstRows = 12;
const sliceRows = 6;

function useSlices(rows: readonly VNode[], conversationId: string | undefined): readonly VNode[] {
  const [drawn, setDrawn] = useState({ conversationId, count: firstRows });
  const count = drawn.conversationId === conversationId ? drawn.count : firstRows;
  const isWhole = count >= rows.length;
  useEffect(() => {
    if (isWhole) return;
    const timer = setTimeout(() => setDrawn({ conversationId, count: count + sliceRows }));
    return () => clearTimeout(timer);
  }, [conversationId, count, isWhole]);
  return isWhole ? rows : rows.slice(-count);
}

function Note({ item }: { readonly item: Extract<TalkItem, { kind: "note" }> }) {
  const { actions } = usePage();
  const say = useSay();
  const { text, left } = item;
  return (
    <li class="note">
      {say(text)}
      {left && (
        <>
          {" "}
          <button type="button" onClick={() => actions.open(left, true)}>
            {say(chatTexts.keep)}
          </button>
        </>
      )}
    </li>
  );
}

function useFollowedEnd(
  talk: { readonly current: HTMLElement | null },
  { items, turns, conversationId }: ChatState,
  drawn: number,
) {
  const [isAtEnd, setAtEnd] = useState(true);
  const follows = useRef(true);
  const last = useRef<string | undefined>(undefined);
  const isEmpty = useRef(true);
  const shown = useRef<string | undefined>(undefined);

  const measure = (): void => {
    const { current } = talk;
    if (current === null) return;
    follows.current = current.scrollHeight - current.scrollTop - current.clientHeight < nearEnd;
    setAtEnd(follows.current);
  };
  const scrollToEnd = (): void => {
    const { current } = talk;
    if (current === null) return;
    current.scrollTop = current.scrollHeight;
    measure();
  };
  useEffect(() => {
    const { current } = talk;
    if (current === null) return;
    current.addEventListener("scroll", measure, { passive: true });
    // A field that grows, or a keyboard on the screen, leaves less room.
    const observer = new ResizeObserver(() => (follows.current && !isEmpty.current ? scrollToEnd() : measure()));
    observer.observe(current);
    // A long answer is written in slices, also behind its last event.
    const [turns] = current.getElementsByClassName("turns");
    if (turns !== undefined) observer.observe(turns);
    return () => observer.disconnect();
  }, []);
  useLayoutEffect(() => {
    const newest = items.at(-1)?.key;
    const turn = newest === undefined ? undefined : turns[newest];
    // Another branch of the same conversation is read where one is.
    const isBranch = conversationId === shown.current && turn !== undefined && !turn.isFollowed;
    shown.current = conversationId;
    const isNew = newest !== last.current && !isBranch;
    last.current = newest;
    isEmpty.current = items.length === 0;
    if (isEmpty.current && talk.current !== null) talk.current.scrollTop = 0;
    if (!isEmpty.current && (isNew || follows.current)) scrollToEnd();
    else measure();
  }, [items, turns]);
  // What is drawn before the end moves it.
  useLayoutEffect(() => {
    if (follows.current && !isEmpty.current) scrollToEnd();
  }, [drawn]);
  return { isAtEnd, scrollToEnd };
}
