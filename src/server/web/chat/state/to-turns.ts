import type { Status } from "../../../../core/outcome.ts";
import { createPageRunState } from "../../run/page-run-state.ts";
import type { Conversation, RunEntry } from "../api/conversation.ts";
import { createTurn, type Turn } from "./chat-state.ts";

/**
 * Converts a kept conversation to turns, oldest first. These are runs with their answers, and answers whose runs are no longer
 * known. Active runs are left to the code that follows them.
 */
export function toTurns(conversation: Conversation, id: string): Turn[] {
  const turns: Turn[] = [];
  const { runs } = conversation;
  let next = 0;
  const addAnswer = (at: number, run: RunEntry | undefined): void => {
    const { question = "", answer = "" } = conversation.turns[at] ?? {};
    turns.push(toAnsweredTurn({ id, question, answer, key: run?.id ?? `turn-${id}-${at}`, run, conversation }));
  };
  for (const run of runs) {
    if (run.status === "running") continue;
    const at = conversation.turns.findIndex((turn, index) => index >= next && isTurnOf(turn, run));
    if (at < 0) turns.push(toUnansweredTurn(run, id));
    else {
      for (; next < at; next += 1) addAnswer(next, undefined);
      addAnswer(at, run);
      next = at + 1;
    }
  }
  for (; next < conversation.turns.length; next += 1) addAnswer(next, undefined);
  return turns;
}

const endings: readonly Status[] = ["failed", "cancelled", "partial"];

function isTurnOf({ question, status }: Conversation["turns"][number], run: RunEntry): boolean {
  const hasAnswer = run.status === "complete" || run.status === "partial";
  return question === run.question && hasAnswer === (!status || status === "partial");
}

interface AnsweredTurn {
  readonly id: string;
  readonly key: string;
  readonly question: string;
  readonly answer: string;
  readonly run: RunEntry | undefined;
  readonly conversation: Conversation;
}

function toAnsweredTurn({ id, key, question, answer, run: entry, conversation }: AnsweredTurn): Turn {
  const cited = conversation.sources.filter(({ n }) => answer.includes(`[${n}]`));
  const status = endings.find((each) => each === entry?.status);
  const run = {
    ...createPageRunState(question),
    runId: entry?.id,
    cited,
    plain: { text: answer, isFailed: status === "failed", status },
  } as const;
  return { ...createTurn(key, question), conversationId: id, run, isFollowed: false, keptRunId: entry?.id };
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
