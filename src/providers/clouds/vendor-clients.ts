import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import type { CloudAccess, CloudClient, CloudPackage, ModelSettings } from "../../core/model/model-settings.ts";
import { DuetError } from "../../kit/errors.ts";
import { locatePackage } from "./load-package.ts";

export type CloudSettings = ModelSettings & { cloud: CloudAccess };

/** Holds what is used of the vendors' clients. */
export interface VendorClient {
  post(path: string, options: { body: object; signal: AbortSignal }): { asResponse(): Promise<Response> };
}

/** Holds what all clients are told. They retry nothing, limit nothing and write no log: that is Duet's own part. */
export interface ClientParts {
  baseURL: string;
  fetch: typeof fetch;
  maxRetries: 0;
  timeout: number;
  logLevel: "off";
  defaultHeaders: Record<string, string | null>;
  defaultQuery: Record<string, string>;
}

type OpenClient = (settings: CloudSettings, parts: ClientParts) => Promise<VendorClient>;

/** Creates the clients. Each throws a `DuetError` where its package or its credentials are missing. */
export const openers: Record<CloudClient, OpenClient> = {
  async azure({ cloud, apiKey = cloud.apiKey, provider }, { baseURL, ...parts }) {
    const { apiVersion, token } = cloud;
    if (apiKey === undefined && token === undefined) throw noAzureKeyError(provider);
    const { AzureOpenAI } = await import("openai/azure");
    return new AzureOpenAI({
      // What the environment says of OpenAI itself is not meant.
      ...{ ...parts, apiVersion, organization: null, project: null },
      ...(apiKey === undefined ? { azureADTokenProvider: async () => token ?? "" } : { apiKey }),
      baseURL: /\/openai(\/|$)/.test(new URL(baseURL).pathname) ? baseURL : `${baseURL}/openai`,
    });
  },

  async bedrock(settings, parts) {
    const { cloud, apiKey = cloud.apiKey } = settings;
    const bedrock: typeof import("@anthropic-ai/bedrock-sdk") = await importFile(locate(settings));
    const { region = "", accessKeyId, secretAccessKey, sessionToken } = cloud;
    const common = { ...parts, awsRegion: region, apiKey: apiKey ?? null, openTelemetry: false } as const;
    // Without keys, the package looks for them as other programs of AWS do: profiles, SSO, roles.
    if (accessKeyId === undefined || secretAccessKey === undefined) return new bedrock.AnthropicBedrock(common);
    return new bedrock.AnthropicBedrock({
      ...{ ...common, awsAccessKey: accessKeyId, awsSecretKey: secretAccessKey, awsSessionToken: sessionToken ?? null },
    });
  },

  async vertex(settings, parts) {
    const { cloud, apiKey: token = cloud.token } = settings;
    const file = locate(settings);
    const vertex: typeof import("@anthropic-ai/vertex-sdk") = await importFile(file);
    const google: typeof import("google-auth-library") = await importFile(
      createRequire(file).resolve("google-auth-library"),
    );
    const { region = "", project, credentialsFile } = cloud;
    const scopes = "https://www.googleapis.com/auth/cloud-platform";
    const common = { ...parts, region, projectId: project ?? null, openTelemetry: false } as const;
    if (token === undefined) {
      const googleAuth = new google.GoogleAuth({ scopes, ...(credentialsFile && { keyFilename: credentialsFile }) });
      return new vertex.AnthropicVertex({ ...common, googleAuth });
    }
    const authClient = new google.OAuth2Client();
    authClient.setCredentials({ access_token: token });
    return new vertex.AnthropicVertex({ ...common, authClient });
  },
};

function locate({ cloud, provider }: CloudSettings): string {
  const wanted: CloudPackage = cloud.package ?? { name: "", major: 0 };
  return locatePackage(provider, wanted, cloud.packages);
}

// The types are those of the packages with which Duet is built and tested.
function importFile(file: string) {
  return import(pathToFileURL(file).href);
}

function noAzureKeyError(provider: string): DuetError {
  return new DuetError({
    code: "auth",
    text: {
      zh: `${provider}：缺少密钥：AZURE_OPENAI_API_KEY 和 AZURE_OPENAI_AD_TOKEN 都未设置`,
      en: `${provider}: the key is missing: neither AZURE_OPENAI_API_KEY nor AZURE_OPENAI_AD_TOKEN is set`,
    },
    hint: {
      zh: "请设置资源的密钥，或 Entra 的令牌（az account get-access-token --resource https://cognitiveservices.azure.com）。",
      en: "Set the key of the resource, or a token of Entra (az account get-access-token --resource https://cognitiveservices.azure.com).",
    },
  });
}
