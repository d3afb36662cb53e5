// Stands in for the MCP client package's Node shims in the bundle: the same exports, with its smaller JSON Schema validator instead of
// an Ajv of its own, which each client would set up and which is not used: results are read without the package's checks of them.
export { CfWorkerJsonSchemaValidator as DefaultJsonSchemaValidator } from "@modelcontextprotocol/client/validators/cf-worker";

/** Errors of a fetch are never those of a browser's policy. */
export const CORS_IS_POSSIBLE = false;
