import {
  isSpecType,
  type McpServer,
  type ReadResourceResult,
  ResourceNotFoundError,
} from "@modelcontextprotocol/server";
import type { Exposed } from "./exposed.ts";
import { hostOf } from "./host.ts";
import { badAnswer, over, requestOptions, toProtocolError } from "./request.ts";
import { createRounds, type Rounds } from "./rounds.ts";

/** Offers every server's resources and templates to the host. */
export function serveResources(server: McpServer, exposed: Exposed): Rounds<ReadResourceResult> {
  const { gateway, locale } = exposed;
  const rounds = createRounds<ReadResourceResult>({ tooLate: (state) => over(state, locale) });

  async function list(signal?: AbortSignal) {
    return (await gateway.resources(signal)).filter(isSpecType.Resource);
  }

  async function listTemplates(signal?: AbortSignal) {
    return (await gateway.resourceTemplates(signal)).filter(isSpecType.ResourceTemplate);
  }

  server.server.setRequestHandler("resources/list", async (_, { mcpReq }) => {
    return { resources: await exposed.give("resources", list, mcpReq.signal) };
  });

  server.server.setRequestHandler("resources/templates/list", async (_, { mcpReq }) => {
    return { resourceTemplates: await exposed.give("resources", listTemplates, mcpReq.signal) };
  });

  server.server.setRequestHandler("resources/read", async ({ params: { uri } }, context) => {
    return rounds.serve(uri, hostOf(server, context), context, async (means) => {
      try {
        const answer = await gateway.readResource(uri, requestOptions(means, context, exposed));
        if (answer === undefined) throw new ResourceNotFoundError(uri);
        if (!isSpecType.ReadResourceResult(answer)) throw badAnswer(uri);
        return answer;
      } catch (thrown) {
        throw toProtocolError(thrown, means.signal, locale);
      }
    });
  });
  return rounds;
}
