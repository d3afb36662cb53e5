import { type ConversationBranches, firstBranch } from "../../../core/store/conversations/branches.ts";
import type { Summary } from "../../../core/store/conversations/conversation.ts";
import { createId } from "../../../core/store/create-id.ts";
import { toText } from "../../../kit/json.ts";
import type { StoreConnection } from "../connection.ts";
import { statements } from "../statements/statements.ts";
import { lock, type Work } from "../work.ts";
import {
  findBranch,
  insertBranch,
  insertSummary,
  listTurnPath,
  loadBranchSummary,
  toBranch,
  toStoredSummary,
} from "./branches.ts";
import { readFeedback, toTrace } from "./rows.ts";
import { type Owner, updateConversation } from "./update-conversation.ts";

export function createSqlBranches(connection: StoreConnection, owner: Owner): ConversationBranches {
  return {
    read: (id) =>
      connection.read(function* () {
        const row = yield* statements.conversation.get({ id, owner });
        if (row === undefined) return undefined;
        const nodes = yield* statements.turnNodes.all({ id });
        const runs = nodes.some(({ run }) => run === null) ? yield* listRuns({ id, owner }) : [];
        const turns = nodes.map(({ n, parent, question, run, feedback: json }) => {
          const feedback = readFeedback(json);
          const place = { n: Number(n), parent: Number(parent), question: toText(question) };
          const found = { ...place, ...(feedback && { feedback }) };
          return { ...found, runId: typeof run === "string" ? run : takeRun(runs, found.question) };
        });
        const rows = yield* statements.branches.all({ id });
        const branches = rows.map(({ branch, tip }) => ({ branch: Number(branch), tip: Number(tip) }));
        if (branches.length === 0) branches.push({ branch: firstBranch, tip: turns.at(-1)?.n ?? 0 });
        return { turns, branches, current: toBranch(row.branch) };
      }),
    begin: (id, after) => connection.write(() => beginBranch({ id, owner, after })),
    select: (id, branch) =>
      connection.write(function* () {
        yield* lock(`conversation ${id}`);
        const row = yield* statements.conversation.get({ id, owner });
        if (row === undefined) return false;
        // A conversation with one line of turns has the first branch alone.
        const place = yield* findBranch({ id, row, branch });
        if ((place?.branch ?? firstBranch) !== branch) return false;
        if (place !== undefined) yield* statements.setBranch.run({ id, branch });
        return true;
      }),
    fork: (id, { branch, folder } = {}) => connection.write(() => forkConversation({ id, owner, branch, folder })),
  };
}

/** Lists the runs of a conversation in their order: turns of earlier versions do not name theirs. */
function* listRuns(key: { id: string; owner: Owner }): Work<{ id: string; question: string }[]> {
  return (yield* statements.runsOf.all(key)).flatMap((row) => {
    const trace = toTrace(row);
    return trace ? [{ id: trace.run_id, question: trace.question }] : [];
  });
}

/** Takes the next run that was asked this question, with those before it. */
function takeRun(runs: { id: string; question: string }[], question: string): string | undefined {
  const at = runs.findIndex((run) => run.question === question);
  return at < 0 ? undefined : runs.splice(0, at + 1).at(-1)?.id;
}

function* beginBranch({ id, owner, after }: WantedBranch): Work<number | undefined> {
  yield* lock(`conversation ${id}`);
  const row = yield* statements.conversation.get({ id, owner });
  if (row === undefined) return undefined;
  if (after !== 0 && (yield* statements.turn.get({ id, n: after })) === undefined) return undefined;
  return yield* insertBranch(id, { after, last: Number(row.turns) });
}

interface WantedBranch {
  id: string;
  owner: Owner;
  after: number;
}

interface WantedFork {
  id: string;
  owner: Owner;
  branch: number | undefined;
  folder: string | undefined;
}

function* forkConversation({ id: from, owner, branch, folder }: WantedFork): Work<string | undefined> {
  yield* lock(`conversation ${from}`);
  const row = yield* statements.conversation.get({ id: from, owner });
  if (row === undefined) return undefined;
  const place = yield* findBranch({ id: from, row, branch });
  const tip = place?.tip ?? Number(row.turns);
  const turns = yield* listTurnPath(from, tip);
  if (turns.length === 0) return undefined;
  const to = createId("conv");
  yield* updateConversation({ id: to, owner, turns: turns.length, folder });
  yield* statements.copyConversation.run({ from, to });
  for (const [index, n] of turns.entries()) yield* statements.copyTurn.run({ from, to, n, as: index + 1 });
  const { copySources, copyResults, copyFiles, copyLoadedTools } = statements;
  for (const copy of [copySources, copyResults, copyFiles, copyLoadedTools]) yield* copy.run({ from, to });
  const summary = place ? yield* loadBranchSummary(from, turns) : yield* loadLineSummary(from);
  if (summary) {
    const { facts = [], ...words } = summary;
    const stored = { text: words.text, turns: words.turns, facts: facts.length > 0 ? facts.join("\n") : null };
    yield* insertSummary({
      ...stored,
      id: to,
      owner,
      isWanted: words.isWanted === true,
      branch: firstBranch,
      after: undefined,
    });
  }
  return to;
}

function* loadLineSummary(id: string): Work<Summary | undefined> {
  const line = yield* statements.lineSummary.get({ id });
  return line && toStoredSummary(line);
}
