// Stands in for the MCP server package's Node shims in the bundle: the same exports, with its smaller JSON Schema
// validator instead of Ajv, which costs start-up time and is not used: our tools' schemas are Zod.
export { default as process } from "node:process";
export { CfWorkerJsonSchemaValidator as DefaultJsonSchemaValidator } from "@modelcontextprotocol/server/validators/cf-worker";
