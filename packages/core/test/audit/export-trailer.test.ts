import { expect, it } from 'vitest'
import { exportTrailer } from '../../src/audit/export-trailer.ts'

it('ends an export with the number of its entries', () => {
  expect(exportTrailer('ndjson', 3, 5)).toBe('{"complete":true,"count":3}\n')
  expect(exportTrailer('csv', 3, 5)).toBe('# complete,3,,,\r\n')
})
