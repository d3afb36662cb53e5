import { noRun } from "../run-state.ts";
import { newTurn, type Turn } from "./chat-state.ts";
import type { Conversation, RunEntry } from "./conversation.ts";

/**
 * A kept conversation as turns, oldest first: each run with the answer that it gave, and answers whose runs are not known any
 * more. Runs that go on are left to whoever follows them.
 */
export function turnsOf(conversation: Conversation, id: string): Turn[] {
  const turns: Turn[] = [];
  const { runs } = conversation;
  let next = 0;
  const addAnswer = (at: number, run: RunEntry | undefined): void => {
    const { question = "", answer = "" } = conversation.turns[at] ?? {};
    turns.push(answered({ id, question, answer, key: run?.id ?? `turn-${id}-${at}`, runId: run?.id, conversation }));
  };
  for (const run of runs) {
    if (run.status === "running") continue;
    const at = answers(run) ? conversation.turns.findIndex((turn, index) => index >= next && isOf(turn, run)) : -1;
    if (at < 0) turns.push(unanswered(run, id));
    else {
      for (; next < at; next += 1) addAnswer(next, undefined);
      addAnswer(at, run);
      next = at + 1;
    }
  }
  for (; next < conversation.turns.length; next += 1) addAnswer(next, undefined);
  return turns;
}

function answers({ status }: RunEntry): boolean {
  return status === "complete" || status === "partial";
}

function isOf({ question }: { readonly question: string }, run: RunEntry): boolean {
  return question === run.question;
}

interface Answered {
  readonly id: string;
  readonly key: string;
  readonly question: string;
  readonly answer: string;
  readonly runId: string | undefined;
  readonly conversation: Conversation;
}

function answered({ id, key, question, answer, runId, conversation }: Answered): Turn {
  const cited = conversation.sources.filter(({ n }) => answer.includes(`[${n}]`));
  const run = { ...noRun(question), runId, cited, plain: { text: answer, isFailed: false } };
  return { ...newTurn(key, question), conversationId: id, run, isFollowed: false, keptRunId: runId };
}

function unanswered({ id: runId, question, status }: RunEntry, id: string): Turn {
  const run = { ...noRun(question), runId, plain: { text: "", isFailed: status === "failed" } };
  return { ...newTurn(runId, question), conversationId: id, run, isFollowed: false, keptRunId: runId };
}
