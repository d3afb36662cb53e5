import type { Models } from "../../agent/run.ts";
import { type Model, withCall } from "../../core/model/model.ts";
import { DuetError } from "../../kit/errors.ts";

/** Returns what stands for the models of a run that another program answers: its name, and no model that could be called. */
export function createAgentModels(agent: string): Models {
  const model: Model = {
    provider: "acp",
    model: agent,
    ...withCall({ stream: () => Promise.reject(notAModelError(agent)) }),
    cost: () => 0,
  };
  return { functionCall: model, answer: model };
}

function notAModelError(agent: string): DuetError {
  return new DuetError({
    code: "internal",
    text: { zh: `智能体 ${agent} 不是模型`, en: `the agent ${agent} is not a model` },
  });
}
