import type { Status } from "../../../../core/run/outcome.ts";
import { createPageRunState } from "../../run/page-run-state.ts";
import type { Conversation, RunEntry } from "../api/conversation.ts";
import { createTurn, type TalkTree, type Turn } from "./chat-state.ts";

/**
 * Converts a kept conversation to turns, oldest first. These are runs with their answers, and answers whose runs are no longer
 * known. Active runs are left to the code that follows them.
 */
export function toTurns(conversation: Conversation, id: string): Turn[] {
  const turns: Turn[] = [];
  const { runs } = conversation;
  let next = 0;
  const addAnswer = (at: number, run: RunEntry | undefined): void => {
    const kept = conversation.turns[at];
    if (kept === undefined) return;
    turns.push(toAnsweredTurn({ id, kept, key: run?.id ?? `turn-${id}-${kept.n ?? at}`, run, conversation }));
  };
  for (const run of runs) {
    if (run.status === "running") continue;
    const at = conversation.turns.findIndex((turn, index) => index >= next && isTurnOf(turn, run));
    if (at < 0) {
      if (isOnPath(run, conversation)) turns.push(toUnansweredTurn(run, id));
    } else {
      for (; next < at; next += 1) addAnswer(next, undefined);
      addAnswer(at, run);
      next = at + 1;
    }
  }
  for (; next < conversation.turns.length; next += 1) addAnswer(next, undefined);
  return turns;
}

const endings: readonly Status[] = ["failed", "cancelled", "partial"];

function isTurnOf({ question, status, runId }: Conversation["turns"][number], run: RunEntry): boolean {
  if (runId !== undefined) return runId === run.id;
  const hasAnswer = run.status === "complete" || run.status === "partial";
  return question === run.question && hasAnswer === (!status || status === "partial");
}

/** Returns true for a run without an answer whose question follows a turn of the shown branch. */
export function isOnPath({ id, parent = 0 }: RunEntry, { turns, tree }: Conversation): boolean {
  return !tree.some(({ runId }) => runId === id) && (parent === 0 || turns.some(({ n }) => n === parent));
}

/** Returns all turns of all branches with their questions. */
export function toTree({ tree, branches, runs }: Conversation): TalkTree {
  const questions = new Map(runs.map(({ id, question }) => [id, question]));
  return { branches, nodes: tree.map((node) => ({ ...node, question: questions.get(node.runId) ?? "" })) };
}

interface AnsweredTurn {
  readonly id: string;
  readonly key: string;
  readonly kept: Conversation["turns"][number];
  readonly run: RunEntry | undefined;
  readonly conversation: Conversation;
}

function toAnsweredTurn({ id, key, kept, run: entry, conversation }: AnsweredTurn): Turn {
  const { question, answer, n, rating, files = [], messages: said } = kept;
  const node = conversation.tree.find((each) => each.n === n);
  const cited = conversation.sources.filter(({ n }) => answer.includes(`[${n}]`));
  const status = endings.find((each) => each === entry?.status);
  const run = {
    ...createPageRunState(question),
    runId: entry?.id,
    cited,
    plain: { text: answer, isFailed: status === "failed", status },
  } as const;
  const known = { conversationId: id, run, isFollowed: false, keptRunId: entry?.id, node, rating, said };
  return { ...createTurn(key, question, files), ...known };
}

function toUnansweredTurn({ id: runId, question, status }: RunEntry, id: string): Turn {
  const known = endings.find((each) => each === status);
  const run = {
    ...createPageRunState(question),
    runId,
    plain: { text: "", isFailed: status === "failed", status: known },
  };
  return { ...createTurn(runId, question), conversationId: id, run, isFollowed: false, keptRunId: runId };
}
