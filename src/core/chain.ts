import { DuetError } from "./errors.ts";

/**
 * Where a run stands in a chain of agents that call one another, and what the agent above leaves it. Travels in the
 * `_meta` of a tool call, to and from downstream agents (the contract's section 4).
 */
export interface Chain {
  /** Agents above this one; 0 for the one that a person or a host asks. */
  depth: number;
  /** When the agent above stops waiting, in milliseconds since 1970. */
  deadline?: number;
  /** Tokens that may be used. */
  budget?: number;
}

/** Agents below the first one. A chain that is longer is a circle far more often than a wish. */
export const deepestChain = 3;

export function toMeta({ depth, deadline, budget }: Chain): Record<string, number | undefined> {
  return { "duet/depth": depth, "duet/deadline": deadline, "duet/budget": budget };
}

/** Reads what a caller says; what makes no sense counts as not said. */
export function fromMeta(meta: Readonly<Record<string, unknown>> | undefined): Chain {
  return {
    depth: whole(meta?.["duet/depth"]) ?? 0,
    deadline: whole(meta?.["duet/deadline"]),
    budget: whole(meta?.["duet/budget"]),
  };
}

function whole(value: unknown): number | undefined {
  return Number.isSafeInteger(value) && Number(value) >= 0 ? Number(value) : undefined;
}

/** The refusal of a run that stands too deep, in words for the model that asked. */
export function tooDeep(depth: number): DuetError {
  return new DuetError({
    code: "invalid_request",
    text: {
      zh: `智能体互相调用已达 ${depth} 层（最多 ${deepestChain} 层），可能形成了循环，这次没有执行。`,
      en: `This call stands ${depth} agents deep (at most ${deepestChain}); agents may be calling one another in a circle, so it was not run.`,
    },
    hint: {
      zh: "请不要再调用这个工具，用已有的信息直接回答。",
      en: "Do not call this tool again; answer from what is known.",
    },
  });
}
