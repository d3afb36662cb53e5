import { isSpecType } from "@modelcontextprotocol/server";
import { hostOf } from "../../../runs/input/host.ts";
import type { ResourceProvider } from "../capabilities.ts";
import { createCallProgress } from "./call-progress.ts";
import type { Exposed } from "./exposure.ts";
import { badAnswer, Missing, requestOptions, toProtocolError, unlessMissing } from "./request.ts";

/** Offers every server's resources and templates to the host. */
export function offerResources(exposed: Exposed): ResourceProvider {
  const { gateway, locale, connection, rounds } = exposed;
  return {
    list: async (signal) => (await gateway.resources(signal)).filter(isSpecType.Resource),
    templates: async (signal) => (await gateway.resourceTemplates(signal)).filter(isSpecType.ResourceTemplate),
    read(uri, context) {
      const progress = createCallProgress();
      const served = { kind: uri, connection, host: hostOf(connection.server, context), context, progress };
      const answer = rounds.resources.serve(served, async (means) => {
        try {
          const given = await gateway.readResource(uri, requestOptions({ ...means, progress }, context, exposed));
          if (given === undefined) throw new Missing();
          if (!isSpecType.ReadResourceResult(given)) throw badAnswer(uri);
          return given;
        } catch (thrown) {
          throw toProtocolError(thrown, means.signal, locale);
        }
      });
      return answer.catch(unlessMissing);
    },
  };
}
