import { setImmediate as letOthersRun } from "node:timers/promises";
import type { ConversationEntry, ConversationPage } from "../../core/store/store.ts";
import { createTextSearch, type TextMatch, type TextSearch } from "../../core/store/text-search.ts";
import { toText } from "../../kit/json.ts";
import type { StoreConnection } from "./connection.ts";
import { toEntry } from "./rows.ts";
import type { Owner, Statements } from "./statements.ts";

/** Limits how long one transaction searches, in milliseconds: the event loop stands still meanwhile. */
const longestSliceMs = 8;
/** Limits how many conversations one transaction looks through. */
const sliceSize = 100;

/** Lists an owner's conversations, the latest question first. */
export async function listConversations(
  connection: StoreConnection,
  owner: Owner,
  page: ConversationPage,
): Promise<ConversationEntry[]> {
  const { limit, offset, folder = null, withQuestions = false, id = null, isPinned } = page;
  const pinned = isPinned === undefined ? null : Number(isPinned);
  const wanted = { owner, folder, id, pinned, questions: Number(withQuestions) };
  if (page.search === undefined)
    return connection.read(({ list }) => list.all({ ...wanted, limit, offset, before: null }).map(toEntry));
  const search = createTextSearch(page.search);
  const found: ConversationEntry[] = [];
  let before: number | null | undefined = null;
  while (search !== undefined && before !== undefined && found.length < offset + limit) {
    const parameters = { ...wanted, limit: sliceSize, offset: 0, before };
    const slice: Slice = await connection.read((statements) => searchSlice(statements, search, parameters));
    found.push(...slice.found);
    before = slice.next;
    await letOthersRun();
  }
  return found.slice(offset, offset + limit);
}

type ListParameters = Record<string, string | number | null>;

interface Slice {
  found: ConversationEntry[];
  /** Is what the last conversation is ordered by that was looked through; undefined after the last one of all. */
  next: number | undefined;
}

function searchSlice(statements: Statements, search: TextSearch, parameters: ListParameters): Slice {
  const began = performance.now();
  const rows = statements.list.all(parameters);
  const found: ConversationEntry[] = [];
  for (const row of rows) {
    const match = search.matchTitle(toText(row.title)) ?? findInTurns(statements, search, toText(row.id));
    if (match) found.push({ ...toEntry(row), match });
    if (performance.now() - began > longestSliceMs) return { found, next: Number(row.asked) };
  }
  return { found, next: rows.length < sliceSize ? undefined : Number(rows.at(-1)?.asked) };
}

function findInTurns({ searchedTurns }: Statements, search: TextSearch, id: string): TextMatch | undefined {
  for (const { n, question, answer } of searchedTurns.iterate({ id, like: search.like ?? null })) {
    const match = search.matchTurn({ n: Number(n), question: toText(question), answer: toText(answer) });
    if (match) return match;
  }
  return undefined;
}
