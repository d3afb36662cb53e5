import { createHmac, timingSafeEqual } from "node:crypto";
import { createRandomHex } from "../../kit/random.ts";
import type { QuestionOrigin } from "./host-question.ts";

/** Is what the answer to a question has to be for, besides the question itself. */
export interface StatePlace {
  /** Names what was asked for. */
  kind: string;
  owner: string | undefined;
}

/** Is a run's question as a `requestState` names it. */
export interface NamedQuestion {
  runId: string;
  /** Counts the questions that its request has been answered with, this one included. */
  rounds: number;
  /** Returns true for the question that the state was made for. */
  isAbout(questionId: string): boolean;
}

/**
 * Returns a name that nobody can guess, another one each time. That of a run's question is signed with the question's ID, which every
 * process of the store knows and the state does not tell: any of them can check it, and nobody can change it.
 */
export function createRequestState(
  origin: QuestionOrigin | undefined,
  { rounds, ...place }: StatePlace & Pick<NamedQuestion, "rounds">,
): string {
  const random = createRandomHex();
  if (origin === undefined) return random;
  const { runId, questionId } = origin;
  const names = [random, runId, String(rounds)];
  return [...names, sign(questionId, names, place)].join(".");
}

/** Returns undefined for a state that names no question of a run. */
export function readRequestState(state: string, place: StatePlace): NamedQuestion | undefined {
  const [random = "", runId = "", rounds = "", signature, ...rest] = state.split(".");
  if (signature === undefined || rest.length > 0) return undefined;
  const names = [random, runId, rounds];
  return {
    runId,
    rounds: Number(rounds),
    isAbout: (questionId) => isSame(signature, sign(questionId, names, place)),
  };
}

function sign(questionId: string, names: readonly string[], { kind, owner }: StatePlace): string {
  return createHmac("sha256", questionId)
    .update(JSON.stringify([...names, kind, owner ?? null]))
    .digest("base64url");
}

function isSame(one: string, other: string): boolean {
  const [given, right] = [Buffer.from(one), Buffer.from(other)];
  return given.length === right.length && timingSafeEqual(given, right);
}
