import { setTimeout as pause } from "node:timers/promises";
import type { Question } from "./client.ts";
import type { Evidence } from "./evidence.ts";
import type { FaultInput } from "./faults.ts";
import { type Lab, openLab } from "./lab.ts";
import { planCall } from "./plan.ts";

/** Is how many runs ask for consent. */
const asked = 24;

/**
 * Each run asks for consent to a call. Its client answers on the two replicas at which it does not read, at once: one answer counts. The
 * second time two of the three replicas are killed before that.
 */
export async function* answerElsewhere(input: FaultInput): AsyncGenerator<{ part: string; evidence: Evidence }> {
  const { server, chance, scale } = input;
  for (const kills of [false, true]) {
    const lab = await openLab({ server, chance, times: scale.model });
    const statuses: number[] = [];
    const answered = new Set<string>();
    try {
      const plans = Array.from({ length: asked }, (_, index) => planCall(`q${index}`, "wipe_slow", 300));
      const onQuestion = async (question: Question, origin: string): Promise<void> => {
        if (answered.has(question.runId)) return;
        answered.add(question.runId);
        // A person needs a moment, in which the replica may be gone.
        await pause(kills ? 4_500 : 200);
        statuses.push(...(await answerOn(lab, question, origin)));
      };
      const asking = lab.askAll(plans, { everyMs: 50, most: asked }, { onQuestion });
      if (kills) {
        await pause(50 * asked + 2_000);
        const [first, second] = lab.replicas;
        await Promise.all([first, second].map((victim) => victim.kill()));
        await Promise.all([first, second].map((victim) => victim.start()));
      }
      await asking;
      const count = (status: number): number => statuses.filter((each) => each === status).length;
      lab.expected.push({ what: "answers that count (204)", is: count(204), wanted: { exactly: asked } });
      if (!kills)
        lab.expected.push({ what: "answers that came second (409)", is: count(409), wanted: { exactly: asked } });
      const wiped = lab.readTools().filter(({ what, tool }) => what === "begin" && tool === "wipe_slow").length;
      lab.expected.push({ what: "calls that were made after consent", is: wiped, wanted: { exactly: asked } });
      yield { part: kills ? "two replicas are killed first" : "", evidence: await lab.collect({ unknown: !kills }) };
    } finally {
      await lab.close();
    }
  }
}

/** Answers on both other replicas, until one of the answers counts. */
async function answerOn({ origins }: Lab, { runId, questionId }: Question, origin: string): Promise<number[]> {
  for (let tries = 0; ; tries++) {
    const others = origins().filter((each) => each !== undefined && each !== origin);
    const statuses = await Promise.all(others.map((each) => reply(`${each}/agent/runs/${runId}/reply`, questionId)));
    if (statuses.some((status) => status === 204) || tries > 100) return statuses;
    await pause(200);
  }
}

async function reply(url: string, questionId: string): Promise<number> {
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ question_id: questionId, answer: "once" }),
      signal: AbortSignal.timeout(5_000),
    });
    await response.arrayBuffer();
    return response.status;
  } catch {
    return 0;
  }
}
