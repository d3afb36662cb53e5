import type { CallToolResult, GetPromptResult, ReadResourceResult } from "@modelcontextprotocol/server";
import type { Duet } from "../../../app/open-duet.ts";
import { say } from "../../../kit/locale.ts";
import type { Connection } from "../../../runs/input/host-connection.ts";
import { createRounds } from "../../../runs/input/input-requests.ts";
import { nobodyWaits } from "../../../runs/input/withdrawn-question.ts";
import type { Provider } from "../capabilities.ts";
import { failedResult } from "../failed-result.ts";
import { complete } from "./completions.ts";
import type { Exposed, GatewayRounds } from "./exposure.ts";
import { offerPrompts } from "./prompts.ts";
import { over } from "./request.ts";
import { offerResources } from "./resources.ts";
import { offerTools } from "./tools.ts";

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
): (connection: Connection) => Provider {
  const { locale } = duet;
  const rounds: GatewayRounds = {
    tools: createRounds<CallToolResult>({ tooLate: (state) => failedResult(say(locale, nobodyWaits(state))) }),
    prompts: createRounds<GetPromptResult>({ tooLate: (state) => over(state, locale) }),
    resources: createRounds<ReadResourceResult>({ tooLate: (state) => over(state, locale) }),
  };
  return (connection) => {
    const gateway = duet.gateway(connection.caller);
    const exposed: Exposed = { gateway, locale, listLimit, person: {}, connection, rounds };
    return {
      tools: offerTools(exposed),
      prompts: offerPrompts(exposed),
      resources: offerResources(exposed),
      complete: (params, context) => complete(exposed, params, context),
      onChange: gateway.onChange,
      close() {
        if (connection.isOneRequest) return;
        for (const each of Object.values(rounds)) each.leave(connection);
      },
    };
  };
}
