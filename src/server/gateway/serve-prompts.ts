import {
  type GetPromptResult,
  isSpecType,
  type McpServer,
  ProtocolError,
  ProtocolErrorCode,
} from "@modelcontextprotocol/server";
import type { Exposed } from "./exposed.ts";
import { hostOf } from "./host.ts";
import { badAnswer, over, requestOptions, toProtocolError } from "./request.ts";
import { createRounds, type Rounds } from "./rounds.ts";

/** Offers every server's prompts to the host. */
export function servePrompts(server: McpServer, exposed: Exposed): Rounds<GetPromptResult> {
  const { gateway, locale } = exposed;
  const rounds = createRounds<GetPromptResult>({ tooLate: (state) => over(state, locale) });

  async function list(signal?: AbortSignal) {
    return (await gateway.prompts(signal)).filter(isSpecType.Prompt);
  }

  server.server.setRequestHandler("prompts/list", async (_, { mcpReq }) => {
    return { prompts: await exposed.give("prompts", list, mcpReq.signal) };
  });

  server.server.setRequestHandler("prompts/get", async ({ params }, context) => {
    const { name, arguments: args = {} } = params;
    return rounds.serve(name, hostOf(server, context), context, async (means) => {
      try {
        const answer = await gateway.getPrompt(name, args, requestOptions(means, context, exposed));
        if (answer === undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Prompt ${name} not found`);
        if (!isSpecType.GetPromptResult(answer)) throw badAnswer(name);
        return answer;
      } catch (thrown) {
        throw toProtocolError(thrown, means.signal, locale);
      }
    });
  });
  return rounds;
}
