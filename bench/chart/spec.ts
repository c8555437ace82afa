// The description of a chart that page/browser/page.js draws. All figures, labels and positions on the axes are
// computed in advance. Must not: contain a function, because the description is sent as JSON.

/** A custom property of src/page/browser/colors.css, so that charts use the page's colours. */
export type ChartColor = "gray" | "blue" | "orange" | "green" | "purple" | "ochre" | "brown" | "teal" | "red";

export type ChartShape = "circle" | "triangle" | "rect" | "rectRot" | "crossRot" | "cross" | "star";

/** Horizontal bars from zero, each with its name and its figure above it. */
export interface BarChart {
  readonly kind: "bars";
  readonly axis: string;
  readonly bars: readonly Bar[];
  /** A vertical line across the bars, explained in the caption. */
  readonly line: number | null;
}

export interface Bar {
  readonly label: string;
  readonly text: string;
  readonly color: ChartColor;
  readonly value: number;
  readonly lowest: number;
  readonly highest: number;
  readonly tip: readonly string[];
}

/** Points with error bars on two axes. */
export interface PointChart {
  readonly kind: "points";
  readonly x: ChartAxis;
  readonly y: ChartAxis;
  readonly series: readonly PointSeries[];
  /** Dashed guide lines, labelled at the right. */
  readonly guides: readonly { readonly label: string; readonly points: readonly Position[] }[];
  /** Labels above the plot, each with a faint line down to the axis. */
  readonly marks: readonly { readonly x: number; readonly label: string }[];
}

export interface ChartAxis {
  readonly title: string;
  readonly from: number;
  readonly to: number;
  readonly ticks: readonly { readonly at: number; readonly label: string }[];
  /** The position of the grid line that is drawn stronger: zero. */
  readonly origin: number | null;
}

export interface Position {
  readonly x: number;
  readonly y: number;
}

export interface PointSeries {
  readonly label: string;
  readonly color: ChartColor;
  readonly shape: ChartShape;
  readonly points: readonly (Position & {
    readonly lowest: number;
    readonly highest: number;
    readonly tip: readonly string[];
  })[];
  /** A curve through the points. */
  readonly fit: readonly Position[];
}

export type ChartSpec = BarChart | PointChart;

export const CHART_SHAPES: readonly ChartShape[] = [
  "circle",
  "triangle",
  "rect",
  "rectRot",
  "crossRot",
  "cross",
  "star",
];
