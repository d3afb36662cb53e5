import { type ConversationBranches, firstBranch } from "../../../core/store/branches.ts";
import { createId, type Summary } from "../../../core/store/store.ts";
import { toText } from "../../../kit/json.ts";
import type { StoreConnection } from "../connection.ts";
import { readFeedback, toTrace } from "../rows.ts";
import { type Owner, type Statements, updateConversation } from "../statements.ts";
import {
  findBranch,
  insertBranch,
  insertSummary,
  listTurnPath,
  loadBranchSummary,
  toBranch,
  toStoredSummary,
} from "./branches.ts";

export function createSqliteBranches(connection: StoreConnection, owner: Owner): ConversationBranches {
  return {
    read: (id) =>
      connection.read((statements) => {
        const row = statements.conversation.get({ id, owner });
        if (row === undefined) return undefined;
        const nodes = statements.turnNodes.all(id);
        const runs = nodes.some(({ run }) => run === null) ? listRuns(statements, { id, owner }) : [];
        const turns = nodes.map(({ n, parent, question, run, feedback: json }) => {
          const feedback = readFeedback(json);
          const place = { n: Number(n), parent: Number(parent), question: toText(question) };
          const found = { ...place, ...(feedback && { feedback }) };
          return { ...found, runId: typeof run === "string" ? run : takeRun(runs, found.question) };
        });
        const rows = statements.branches.all(id);
        const branches = rows.map(({ branch, tip }) => ({ branch: Number(branch), tip: Number(tip) }));
        if (branches.length === 0) branches.push({ branch: firstBranch, tip: turns.at(-1)?.n ?? 0 });
        return { turns, branches, current: toBranch(row.branch) };
      }),
    begin: (id, after) => connection.write((statements) => beginBranch(statements, { id, owner, after })),
    select: (id, branch) =>
      connection.write((statements) => {
        const row = statements.conversation.get({ id, owner });
        if (row === undefined) return false;
        // A conversation with one line of turns has the first branch alone.
        const place = findBranch(statements, { id, row, branch });
        if ((place?.branch ?? firstBranch) !== branch) return false;
        if (place !== undefined) statements.setBranch.run(branch, id);
        return true;
      }),
    fork: (id, { branch, folder } = {}) =>
      connection.write((statements) => forkConversation(statements, { id, owner, branch, folder })),
  };
}

/** Lists the runs of a conversation in their order: turns of earlier versions do not name theirs. */
function listRuns({ runsOf }: Statements, key: { id: string; owner: Owner }): { id: string; question: string }[] {
  return runsOf.all(key).flatMap((row) => {
    const trace = toTrace(row);
    return trace ? [{ id: trace.run_id, question: trace.question }] : [];
  });
}

/** Takes the next run that was asked this question, with those before it. */
function takeRun(runs: { id: string; question: string }[], question: string): string | undefined {
  const at = runs.findIndex((run) => run.question === question);
  return at < 0 ? undefined : runs.splice(0, at + 1).at(-1)?.id;
}

function beginBranch(
  statements: Statements,
  { id, owner, after }: { id: string; owner: Owner; after: number },
): number | undefined {
  const row = statements.conversation.get({ id, owner });
  if (row === undefined) return undefined;
  if (after !== 0 && statements.turn.get(id, after) === undefined) return undefined;
  return insertBranch(statements, id, { after, last: Number(row.turns) });
}

interface WantedFork {
  id: string;
  owner: Owner;
  branch: number | undefined;
  folder: string | undefined;
}

function forkConversation(statements: Statements, { id: from, owner, branch, folder }: WantedFork): string | undefined {
  const row = statements.conversation.get({ id: from, owner });
  if (row === undefined) return undefined;
  const place = findBranch(statements, { id: from, row, branch });
  const tip = place?.tip ?? Number(row.turns);
  const turns = listTurnPath(statements, from, tip);
  if (turns.length === 0) return undefined;
  const to = createId("conv");
  updateConversation(statements, { id: to, owner, turns: turns.length, folder });
  statements.copyConversation.run({ from, to });
  for (const [index, n] of turns.entries()) statements.copyTurn.run({ from, to, n, as: index + 1 });
  const { copySources, copyResults, copyFiles, copyLoadedTools } = statements;
  for (const copy of [copySources, copyResults, copyFiles, copyLoadedTools]) copy.run({ from, to });
  const summary = place ? loadBranchSummary(statements, from, turns) : loadLineSummary(statements, from);
  if (summary) {
    const { facts = [], ...words } = summary;
    const stored = { text: words.text, turns: words.turns, facts: facts.length > 0 ? facts.join("\n") : null };
    insertSummary(statements, {
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

function loadLineSummary({ lineSummary }: Statements, id: string): Summary | undefined {
  const line = lineSummary.get(id);
  return line && toStoredSummary(line);
}
