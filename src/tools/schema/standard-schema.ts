/**
 * Is what Zod 4, Valibot, ArkType and others give their schemas (https://standardschema.dev/schema). It is declared here, so that
 * the types of a program that embeds Duet depend on no version of any of them.
 */
export interface StandardSchema<Input = unknown, Output = unknown> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  };
}

export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

export interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** Is the type of what a schema makes of valid arguments. */
export type InferOutput<Schema extends StandardSchema> = NonNullable<Schema["~standard"]["types"]>["output"];

/** Can also say what it is as JSON Schema (https://standardschema.dev/json-schema). */
export interface DescribedSchema extends StandardSchema {
  readonly "~standard": StandardSchema["~standard"] & {
    readonly jsonSchema: { readonly input: (options: JsonSchemaOptions) => Record<string, unknown> };
  };
}

interface JsonSchemaOptions {
  readonly target: "draft-2020-12";
  /** Goes to the library itself. */
  readonly libraryOptions?: Record<string, unknown>;
}
