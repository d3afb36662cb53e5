import { setImmediate as letOthersRun } from "node:timers/promises";
import type { ConversationEntry, ConversationPage } from "../../../core/store/conversations/entries.ts";
import { createTextSearch, type TextMatch, type TextSearch } from "../../../core/store/conversations/text-search.ts";
import { toText } from "../../../kit/json.ts";
import type { StoreConnection } from "../connection.ts";
import { statements } from "../statements/statements.ts";
import type { Work } from "../work.ts";
import { toEntry } from "./rows.ts";
import type { Owner } from "./update-conversation.ts";

/** Limits a whole search, in milliseconds. */
const longestSearchMs = 10_000;
/** Limits how many turns are read at a time. */
const mostTurns = 50;
/** Limits how many conversations one transaction looks through. */
const sliceSize = 100;

/** Lists an owner's conversations, the latest question first. */
export async function listConversations(
  connection: StoreConnection,
  owner: Owner,
  page: ConversationPage,
): Promise<ConversationEntry[]> {
  const { limit, offset, folder = null, withQuestions = false, id, beginning = null, isPinned, signal } = page;
  const pinned = isPinned === undefined ? null : Number(isPinned);
  const shown = { owner, folder, pinned, questions: Number(withQuestions) };
  if (id !== undefined) return (await connection.read(() => statements.entry.all({ ...shown, id }))).map(toEntry);
  const wanted = { ...shown, beginning };
  if (page.search === undefined) {
    const rows = await connection.read(() => statements.list.all({ ...wanted, limit, offset, before: null }));
    return rows.map(toEntry);
  }
  const search = createTextSearch(page.search);
  const found: ConversationEntry[] = [];
  const began = performance.now();
  let place: Place | undefined = { before: null, after: 0 };
  while (search !== undefined && place !== undefined && found.length < offset + limit) {
    signal?.throwIfAborted();
    const { before, after }: Place = place;
    const parameters = { ...wanted, limit: sliceSize, offset: 0, before };
    const slice: Slice = await connection.read(() =>
      searchSlice(search, parameters, { after, sliceMs: connection.sliceMs }),
    );
    found.push(...slice.found);
    place = performance.now() - began > longestSearchMs ? undefined : slice.next;
    await letOthersRun();
  }
  return found.slice(offset, offset + limit);
}

type ListParameters = Record<string, string | number | null>;

/** Is where a search goes on: with the conversations that are ordered before this number, and in the first of them after this turn. */
interface Place {
  before: number | null;
  after: number;
}

interface Slice {
  found: ConversationEntry[];
  /** Is undefined after the last conversation of all. */
  next: Place | undefined;
}

function* searchSlice(
  search: TextSearch,
  parameters: ListParameters,
  { after: searchedTurns, sliceMs }: { after: number; sliceMs: number },
): Work<Slice> {
  const end = performance.now() + sliceMs;
  const rows = yield* statements.list.all(parameters);
  const found: ConversationEntry[] = [];
  for (const [index, row] of rows.entries()) {
    const after = index === 0 ? searchedTurns : 0;
    const match =
      search.matchTitle(toText(row.title)) ?? (yield* findInTurns(search, { id: toText(row.id), after, end }));
    // It goes on in the midst of a conversation that is long.
    if (typeof match === "number") return { found, next: { before: Number(row.asked) + 1, after: match } };
    if (match) found.push({ ...toEntry(row), match });
    if (performance.now() > end) return { found, next: { before: Number(row.asked), after: 0 } };
  }
  const isLast = rows.length < sliceSize;
  return { found, next: isLast ? undefined : { before: Number(rows.at(-1)?.asked), after: 0 } };
}

interface TurnSearch {
  id: string;
  after: number;
  /** Is when the search of turns stops, in the time of `performance`. */
  end: number;
}

/** Returns the match, or the number of the last turn that was searched when the time was over. */
function* findInTurns(search: TextSearch, { id, after, end }: TurnSearch): Work<TextMatch | number | undefined> {
  for (let last = after; ; ) {
    const rows = yield* statements.searchedTurns.all({ id, after: last, like: search.like ?? null, limit: mostTurns });
    for (const { n, question, answer } of rows) {
      last = Number(n);
      const match = search.matchTurn({ n: last, question: toText(question), answer: toText(answer) });
      if (match) return match;
      if (performance.now() > end) return last;
    }
    if (rows.length < mostTurns) return undefined;
  }
}
