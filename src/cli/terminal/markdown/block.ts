/** What a block stands in: a quote, or an item of a list. Each is one object from where it opens to where it closes. */
export type Container = { readonly kind: "quote" } | Item;

export interface Item {
  readonly kind: "item";
  /** As it is shown: `-`, or the number with what stands behind it. */
  readonly marker: string;
  /** How far the lines below are indented that still belong to it, in columns. */
  readonly indent: number;
  /** Of an ordered list. */
  readonly number?: number | undefined;
  /** `.` or `)` behind the number, or the bullet. */
  readonly sign: string;
}

export type Align = "left" | "right" | "center";

interface Placed {
  /** From the outermost container in. */
  readonly path: readonly Container[];
  /** It begins a block; what goes on with one does not. */
  readonly first: boolean;
  /** An empty line stands before the block. */
  readonly spaced: boolean;
}

export type TextPiece = Placed & {
  readonly kind: "text";
  readonly look: "paragraph" | "heading" | "verbatim";
  readonly source: string;
  /** It goes on with the last line of the piece before. */
  readonly joins: boolean;
  /** Its last line goes on with the next piece. */
  readonly continues: boolean;
};

export type CodePiece = Placed & {
  readonly kind: "code";
  /** What stands behind the fence. */
  readonly info: string;
  /** One line; none in an empty block. */
  readonly text: string | undefined;
  readonly joins: boolean;
  readonly continues: boolean;
};

export type TablePiece = Placed & {
  readonly kind: "table";
  readonly header: readonly string[];
  readonly aligns: readonly Align[];
  readonly rows: readonly (readonly string[])[];
  /** Nothing of the table comes after it. */
  readonly last: boolean;
};

export type DefinitionPiece = Placed & {
  readonly kind: "definition";
  readonly source: string;
  readonly label: string;
  readonly address: string;
};

/** A part of the text that will not change any more, ready to be laid out. */
export type Piece = TextPiece | CodePiece | TablePiece | DefinitionPiece | (Placed & { readonly kind: "rule" });

/** The innermost block, while it is open. */
export type Leaf =
  | { readonly kind: "paragraph"; readonly spaced: boolean; readonly source: string; readonly begun: boolean }
  | {
      readonly kind: "fence";
      readonly spaced: boolean;
      readonly begun: boolean;
      readonly fence: string;
      readonly indent: number;
      readonly info: string;
    }
  | { readonly kind: "indented"; readonly spaced: boolean; readonly begun: boolean; readonly blanks: number }
  | { readonly kind: "html"; readonly spaced: boolean; readonly begun: boolean; readonly end: RegExp }
  | {
      readonly kind: "table";
      readonly spaced: boolean;
      readonly begun: boolean;
      readonly header: readonly string[];
      readonly aligns: readonly Align[];
      readonly rows: readonly (readonly string[])[];
    };
