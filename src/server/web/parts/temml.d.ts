/** Describes what is used of Temml, whose own declarations do not fit its module. */
declare module "temml/dist/temml.mjs" {
  export interface TreeNode {
    readonly type?: string;
    readonly text?: string;
    readonly attributes?: Readonly<Record<string, unknown>>;
    readonly classes?: readonly string[];
    readonly style?: Readonly<Record<string, unknown>>;
    readonly children?: readonly TreeNode[];
  }

  const temml: {
    /** Throws for a text that is no formula, where `throwOnError` is set. */
    __renderToMathMLTree(
      tex: string,
      options: { displayMode: boolean; throwOnError: boolean; maxExpand: number },
    ): TreeNode;
  };
  export default temml;
}
