import type { RunService } from "../../../runs/run-service.ts";
import type { Route } from "../../http/routes.ts";

/** The description of the API for programs; put together when it is first asked for. */
export function createOpenApiRoute({ settings }: Pick<RunService, "settings">): Route {
  const url = settings.http.publicUrl?.replace(/\/+$/, "") ?? "/";
  let text: Promise<string> | undefined;
  async function describe(): Promise<string> {
    const { describeApi } = await import("./document.ts");
    return JSON.stringify(describeApi(url));
  }
  return {
    async GET() {
      text ??= describe();
      return new Response(await text, { headers: { "content-type": "application/json" } });
    },
  };
}
