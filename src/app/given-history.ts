import { createHash } from "node:crypto";
import { LRUCache } from "lru-cache";
import { type Conversation, type ConversationTurn, newId } from "../agent/conversation.ts";
import { createSourceList } from "../agent/store/memory.ts";
import type { ConversationStore } from "../agent/store.ts";
import type { Caller } from "../core/caller.ts";
import type { Loaded } from "./load-in-turn.ts";

/** A conversation that the asker keeps, as a run finds it. */
export interface GivenHistory extends Loaded {
  known: Conversation;
  /** Takes what the run writes, of which `kept` sees nothing. */
  store: ConversationStore;
}

/**
 * Conversations that their askers keep themselves and bring along with each question. What stands behind the words (sources
 * with their numbers, a summary, a plan that waits) is found again by the words, as long as the process lives and they are
 * the same; else a conversation begins with the words alone.
 */
export interface GivenHistories {
  open(turns: readonly ConversationTurn[], place: { caller: Caller; kept: ConversationStore }): GivenHistory;
}

const most = 1000;
/** Of all that is kept, in UTF-16 units; what conversations share is counted for each. */
const mostText = 30_000_000;

export function createGivenHistories(): GivenHistories {
  const kept = new LRUCache<string, Conversation>({ max: most, maxSize: mostText, sizeCalculation: sizeOf });
  return {
    open(turns, { caller, kept: elsewhere }) {
      const key = keyOf(caller, turns);
      const before = kept.get(key);
      // A plan that waits is replied to once: asked for again, the same words make a new plan.
      if (before?.pendingPlan !== undefined) kept.set(key, { ...before, pendingPlan: undefined });
      const known = before ?? { id: newId("conv"), turns, summary: undefined, sources: createSourceList() };
      let { summary } = known;
      return {
        known,
        waitedMs: 0,
        store: {
          ...elsewhere,
          async append({ turn, trace, pendingPlan }) {
            const now: Conversation = { ...known, summary, pendingPlan };
            if (turn === undefined) {
              // Nothing was said; but a plan may wait still.
              if (pendingPlan !== undefined) kept.set(key, now);
              return;
            }
            // The asker brings back what it was shown, which is not all that the model wrote.
            const shown = [...turns, { question: turn.question, answer: trace.final_answer }];
            kept.set(keyOf(caller, shown), { ...now, turns: [...known.turns, turn] });
          },
          async summarise(_, made) {
            summary = made;
          },
        },
      };
    },
  };
}

function keyOf({ owner }: Caller, turns: readonly ConversationTurn[]): string {
  const said = turns.map(({ question, answer }) => [question.trim(), answer.trim()]);
  return createHash("sha256")
    .update(JSON.stringify([owner ?? null, said]))
    .digest("base64url");
}

function sizeOf({ turns, sources, summary, pendingPlan = "" }: Conversation): number {
  const said = turns.reduce((sum, { question, answer }) => sum + question.length + answer.length, 0);
  const found = sources
    .all()
    .reduce((sum, { source: { title, url, snippet } }) => sum + (title + url + snippet).length, 0);
  return 1 + said + found + pendingPlan.length + (summary?.text.length ?? 0);
}
