import { isSpecType } from "@modelcontextprotocol/server";
import { readHost } from "../../../runs/input/host.ts";
import type { ResourceCapability } from "../capabilities.ts";
import { createCallProgress } from "./call-progress.ts";
import type { Exposure } from "./exposure.ts";
import { badAnswerError, ignoreMissing, MissingEntryError, toProtocolError, toRequestOptions } from "./request.ts";

/** Offers every server's resources and templates to the host. */
export function createResourceCapability(exposed: Exposure): ResourceCapability {
  const { gateway, locale, connection, inputRequests } = exposed;
  return {
    list: async (signal) => (await gateway.resources(signal)).filter(isSpecType.Resource),
    templates: async (signal) => (await gateway.resourceTemplates(signal)).filter(isSpecType.ResourceTemplate),
    read(uri, context) {
      const progress = createCallProgress();
      const served = { kind: uri, connection, host: readHost(connection.server, context), context, progress };
      const answer = inputRequests.resources.serve(served, async (requestContext) => {
        try {
          const given = await gateway.readResource(
            uri,
            toRequestOptions({ ...requestContext, progress }, context, exposed),
          );
          if (given === undefined) throw new MissingEntryError();
          if (!isSpecType.ReadResourceResult(given)) throw badAnswerError(uri);
          return given;
        } catch (thrown) {
          throw toProtocolError(thrown, requestContext.signal, locale);
        }
      });
      return answer.catch(ignoreMissing);
    },
  };
}
