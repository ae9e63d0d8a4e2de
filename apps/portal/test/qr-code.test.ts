import { encode } from 'uqr'
import { expect, it } from 'vitest'
import { drawQr } from '../src/devices/qr-code.tsx'

it('draws exactly the dark modules of a code, with a quiet zone of four', () => {
  const text = 'https://portal.acme.test/mail-profile/3f2b6a7c9d1e4f5a8b7c6d5e4f3a2b1c'
  const { size, path } = drawQr(text)
  const drawn = Array.from({ length: size }, () => Array.from({ length: size }, () => false))
  for (const [, x, y, length] of path.matchAll(/M(\d+) (\d+)h(\d+)v1h-\d+z/g)) {
    for (let at = Number(x); at < Number(x) + Number(length); at++)
      (drawn[Number(y)] ?? [])[at] = true
  }
  expect(drawn).toEqual(encode(text, { ecc: 'M', border: 4 }).data)
  expect(drawn.slice(0, 4).flat().concat(drawn.slice(-4).flat())).not.toContain(true)
})
