import type { CallToolResult, GetPromptResult, ReadResourceResult } from "@modelcontextprotocol/server";
import type { Duet } from "../../../app/open-duet.ts";
import { say } from "../../../kit/locale.ts";
import type { HostConnection } from "../../../runs/input/host-connection.ts";
import { createInputRequests } from "../../../runs/input/input-requests.ts";
import { describeWithdrawnQuestion } from "../../../runs/input/withdrawn-question.ts";
import type { Capabilities } from "../capabilities.ts";
import { createFailedResult } from "../failed-result.ts";
import { completeArgument } from "./completions.ts";
import type { Exposure, GatewayInputRequests } from "./exposure.ts";
import { createPromptCapability } from "./prompts.ts";
import { throwWithdrawn } from "./request.ts";
import { createResourceCapability } from "./resources.ts";
import { createToolCapability } from "./tools.ts";

export interface ExposeOptions {
  /** Tokens that a list of tools may weigh; beyond them it is searched. */
  listLimit?: number | undefined;
}

/** About a tenth of what the models of today's hosts read at once. */
const usualListLimit = 20_000;

/** Every tool, prompt and resource there is, for any connection: what it gives is the connection's part. */
export function createExposure(
  duet: Duet,
  { listLimit = usualListLimit }: ExposeOptions,
): (connection: HostConnection) => Capabilities {
  const { locale } = duet;
  const inputRequests: GatewayInputRequests = {
    tools: createInputRequests<CallToolResult>({
      tooLate: (state) => createFailedResult(say(locale, describeWithdrawnQuestion(state))),
    }),
    prompts: createInputRequests<GetPromptResult>({ tooLate: (state) => throwWithdrawn(state, locale) }),
    resources: createInputRequests<ReadResourceResult>({ tooLate: (state) => throwWithdrawn(state, locale) }),
  };
  return (connection) => {
    const gateway = duet.gateway(connection.caller);
    const exposed: Exposure = { gateway, locale, listLimit, person: {}, connection, inputRequests };
    return {
      tools: createToolCapability(exposed),
      prompts: createPromptCapability(exposed),
      resources: createResourceCapability(exposed),
      complete: (params, context) => completeArgument(exposed, params, context),
      onChange: gateway.onChange,
      close() {
        if (connection.isOneRequest) return;
        for (const each of Object.values(inputRequests)) each.leave(connection);
      },
    };
  };
}
