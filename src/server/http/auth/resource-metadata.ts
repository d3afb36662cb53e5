import type { OpenPages } from "./authenticate.ts";
import { listSupportedScopes } from "./scopes.ts";
import type { AuthSettings } from "./settings.ts";

const wellKnown = "/.well-known/oauth-protected-resource";

/** Where clients read how to sign in: beside the resource, so that whatever stands before us leads there too. */
export function toMetadataAddress(resource: string): string {
  return resource.replace(/\/mcp$/, `${wellKnown}/mcp`);
}

/** The pages that say how to sign in (RFC 9728), by path. */
export function createMetadataPages(settings: AuthSettings, resource: string): OpenPages {
  const scopes = listSupportedScopes(settings);
  const metadata = {
    resource,
    authorization_servers: [settings.issuer],
    ...(scopes.length > 0 && { scopes_supported: scopes }),
    bearer_methods_supported: ["header"],
    resource_name: "Duet",
  };
  const page = (): Response => Response.json(metadata);
  return { [wellKnown]: page, [`${wellKnown}/mcp`]: page };
}
