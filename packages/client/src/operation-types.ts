import type { operations } from './generated/openapi.ts'

type Name = keyof operations
/** Nothing to add where the operation has no such part. */
type Part<Found> = [Found] extends [never | undefined] ? unknown : NonNullable<Found>
type Body<Operation extends Name> = operations[Operation] extends {
  requestBody?: { content: { 'application/json': infer Found } }
}
  ? Found
  : never
type Fields<Operation extends Name> = Part<operations[Operation]['parameters']['path']> &
  Part<operations[Operation]['parameters']['query']> &
  Part<Body<Operation>>

/** The input of a procedure: the fields of path, query and body together. */
export type InputOf<Operation extends Name> =
  unknown extends Fields<Operation>
    ? // biome-ignore lint/suspicious/noConfusingVoidType: tRPC calls it without input
      void
    : Record<never, never> extends Fields<Operation>
      ? // biome-ignore lint/suspicious/noConfusingVoidType: all fields are optional
        Fields<Operation> | void
      : Fields<Operation>

type Content<Response> = Response extends { content: { 'application/json': infer Found } }
  ? Found
  : undefined
type Responses<Operation extends Name> = operations[Operation]['responses']

/** The output of a procedure whose response is JSON. */
export type OutputOf<Operation extends Name> =
  Responses<Operation> extends { 200: infer Found }
    ? Content<Found>
    : Responses<Operation> extends { 201: infer Found }
      ? Content<Found>
      : undefined

/** The output of a procedure that REST sends as a file. */
export interface FileOutput {
  fileName: string
  contentType: string
  /** Of `text`; plain text where absent. */
  encoding?: 'base64'
  text: string
}

/** The errors of all procedures. */
export interface ErrorShape {
  message: string
  code: number
  data: {
    code: string
    httpStatus: number
    path?: string
    requestId?: string
    issues?: { path: string; message: string }[]
    limit?: string
    current?: object
  }
}
