import * as l10n from '@vscode/l10n';
import type { ComponentChildren, JSX } from 'preact';

/** A column of texts, mostly numbers. */
export interface Column<Row> {
  readonly heading: string;
  readonly cell: (row: Row) => string;
  readonly hint?: (row: Row) => string | undefined;
}

interface DataTableProps<Row> {
  readonly class: string;
  /** Name for screen readers, where nothing around the table has one. */
  readonly caption?: string;
  /** Heading of the names. */
  readonly heading: string;
  readonly nameOf: (row: Row) => ComponentChildren;
  readonly columns: readonly (Column<Row> | false)[];
  readonly rows: readonly Row[];
  /** The sum of all rows; undefined if it isn't shown. */
  readonly total?: Row | undefined;
}

/** A table with a name and numbers in each row. */
export function DataTable<Row extends { readonly key: string }>(
  props: DataTableProps<Row>,
): JSX.Element {
  const { caption, heading, nameOf, rows, total } = props;
  const columns = props.columns.filter((column) => column !== false);
  const cells = (row: Row): ComponentChildren =>
    columns.map(({ cell, hint }, index) => (
      <td key={index} title={hint?.(row)}>
        {cell(row)}
      </td>
    ));
  return (
    <table class={props.class}>
      {caption !== undefined && <caption class="unseen">{caption}</caption>}
      <thead>
        <tr>
          <th scope="col">{heading}</th>
          {columns.map((column, index) => (
            <th key={index} scope="col">
              {/* May be the name of a model, which comes from the service. */}
              <bdi>{column.heading}</bdi>
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.key}>
            <th scope="row">{nameOf(row)}</th>
            {cells(row)}
          </tr>
        ))}
      </tbody>
      {total !== undefined && (
        <tfoot>
          <tr>
            <th scope="row">{l10n.t('Total')}</th>
            {cells(total)}
          </tr>
        </tfoot>
      )}
    </table>
  );
}
