/** A block is nested in quotes and list items. Each container is one object from where it opens to where it closes. */
export type Container = { readonly kind: "quote" } | Item;

export interface Item {
  readonly kind: "item";
  /** Holds the marker as shown: `-`, or the number with its sign. */
  readonly marker: string;
  /** Is the indentation, in columns, that lines below need to belong to the item. */
  readonly indent: number;
  /** Is set only for an ordered list. */
  readonly number?: number | undefined;
  /** Is `.` or `)` behind the number, or the bullet. */
  readonly sign: string;
}

export type Align = "left" | "right" | "center";

interface PiecePlace {
  /** Lists the containers from the outermost in. */
  readonly path: readonly Container[];
  /** Is true when the piece begins a block, and false when it continues one. */
  readonly first: boolean;
  /** Is true when an empty line precedes the block. */
  readonly spaced: boolean;
}

export type TextPiece = PiecePlace & {
  readonly kind: "text";
  readonly look: "paragraph" | "heading" | "verbatim";
  readonly source: string;
  /** Is true when the piece continues the last line of the previous piece. */
  readonly joins: boolean;
  /** Is true when the last line continues in the next piece. */
  readonly continues: boolean;
};

export type CodePiece = PiecePlace & {
  readonly kind: "code";
  /** Holds the text behind the fence. */
  readonly info: string;
  /** Holds one line; undefined in an empty block. */
  readonly text: string | undefined;
  readonly joins: boolean;
  readonly continues: boolean;
};

export type TablePiece = PiecePlace & {
  readonly kind: "table";
  readonly header: readonly string[];
  readonly aligns: readonly Align[];
  readonly rows: readonly (readonly string[])[];
  /** Nothing of the table comes after it. */
  readonly last: boolean;
};

export type DefinitionPiece = PiecePlace & {
  readonly kind: "definition";
  readonly source: string;
  readonly label: string;
  readonly address: string;
};

/** Represents a part of the text that will not change any more and is ready for layout. */
export type Piece = TextPiece | CodePiece | TablePiece | DefinitionPiece | (PiecePlace & { readonly kind: "rule" });

/** Represents the innermost block while it is open. */
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
