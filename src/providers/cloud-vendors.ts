// Holds the vendors that sell others' models from their own clouds. A client of theirs authenticates the requests.
import type { ModelRule, Vendor } from "../core/model/model-settings.ts";

type SoldVendor = Pick<Vendor, "temperature" | "quirks" | "efforts" | "models">;

/** OpenAI's models by deployments, whose names are the models' names here. `aliases` tells what model a deployment has. */
export function createAzure(openai: SoldVendor): Vendor {
  return {
    wire: "openai-chat",
    // Each customer has an address of its own.
    baseUrl: "",
    baseUrlEnv: "AZURE_OPENAI_ENDPOINT",
    telemetryName: "az.ai.openai",
    ...pickFacts(openai),
    cloud: {
      client: "azure",
      fields: {
        // The last version with a date; earlier ones have no Responses.
        apiVersion: { env: ["OPENAI_API_VERSION"], usual: "2025-04-01-preview" },
        apiKey: { env: ["AZURE_OPENAI_API_KEY"] },
        token: { env: ["AZURE_OPENAI_AD_TOKEN"] },
      },
    },
  };
}

export function createBedrock(anthropic: SoldVendor): Vendor {
  return {
    wire: "anthropic-messages",
    baseUrl: "",
    baseUrlEnv: "ANTHROPIC_BEDROCK_BASE_URL",
    telemetryName: "aws.bedrock",
    ...pickFacts(anthropic),
    // docs.aws.amazon.com/bedrock: "anthropic_version: the value must be bedrock-2023-05-31".
    quirks: { ...anthropic.quirks, body: { anthropic_version: "bedrock-2023-05-31" } },
    // Names are `anthropic.claude-…` and, over several regions, `us.anthropic.claude-…`.
    models: anthropic.models?.map((rule) => withPrefix(rule, "(?:(?:[a-z]+(?:-[a-z]+)*\\.)?anthropic\\.)?")) ?? [],
    cloud: {
      client: "bedrock",
      package: { name: "@anthropic-ai/bedrock-sdk", major: 1 },
      fields: {
        region: { env: ["AWS_REGION", "AWS_DEFAULT_REGION"], usual: "us-east-1" },
        apiKey: { env: ["AWS_BEARER_TOKEN_BEDROCK"] },
        accessKeyId: { env: ["AWS_ACCESS_KEY_ID"] },
        secretAccessKey: { env: ["AWS_SECRET_ACCESS_KEY"] },
        sessionToken: { env: ["AWS_SESSION_TOKEN"] },
      },
      toBaseUrl: (region) => `https://bedrock-runtime.${region}.amazonaws.com`,
    },
  };
}

export function createVertex(anthropic: SoldVendor): Vendor {
  return {
    wire: "anthropic-messages",
    baseUrl: "",
    baseUrlEnv: "ANTHROPIC_VERTEX_BASE_URL",
    telemetryName: "gcp.vertex_ai",
    ...pickFacts(anthropic),
    // cloud.google.com/vertex-ai, Claude models: "anthropic_version: must be vertex-2023-10-16".
    quirks: { ...anthropic.quirks, body: { anthropic_version: "vertex-2023-10-16" } },
    cloud: {
      client: "vertex",
      package: { name: "@anthropic-ai/vertex-sdk", major: 1 },
      fields: {
        region: { env: ["CLOUD_ML_REGION", "GOOGLE_CLOUD_LOCATION"], usual: "global" },
        project: { env: ["ANTHROPIC_VERTEX_PROJECT_ID", "GOOGLE_CLOUD_PROJECT"] },
        token: { env: ["CLOUDSDK_AUTH_ACCESS_TOKEN"] },
        credentialsFile: { env: ["GOOGLE_APPLICATION_CREDENTIALS"] },
      },
      toBaseUrl: toVertexUrl,
    },
  };
}

function toVertexUrl(region: string): string {
  const shared = { global: "aiplatform", us: "aiplatform.us.rep", eu: "aiplatform.eu.rep" }[region];
  return `https://${shared ?? `${region}-aiplatform`}.googleapis.com/v1`;
}

function pickFacts({ temperature, quirks, efforts, models }: SoldVendor): SoldVendor {
  return { temperature, quirks, ...(efforts && { efforts }), ...(models && { models }) };
}

/** Has a rule apply to names that begin with something more. */
function withPrefix(rule: ModelRule, prefix: string): ModelRule {
  return { ...rule, match: new RegExp(rule.match.source.replace(/^\^/, `^${prefix}`)) };
}
