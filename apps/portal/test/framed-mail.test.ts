import { describe, expect, it } from 'vitest'
import { setStylesAside } from '../src/branding/framed-mail.ts'

const aside = (html: string) => setStylesAside(html, 'n0nce==')

describe('styles of a mail in its frame', () => {
  it('stand under another name, however the attribute is written', () => {
    expect(
      aside(`<p style="color:red">a</p><b class='x'STYLE='b:c'>b</b><i\nstyle = plain>c</i>`),
    ).toBe(
      `<p data-style="color:red">a</p><b class='x'data-style='b:c'>b</b><i\ndata-style = plain>c</i>`,
    )
  })

  it('are left alone in texts and in values of other attributes, also where a value holds the end of a tag', () => {
    const html = `<a title=" style='x' > style=y" href="/?a=1">my style=bold</a> 1 < 2 style=z`
    expect(aside(html)).toBe(html)
    expect(aside(`<a title="1 > 0" style="x">`)).toBe(`<a title="1 > 0" data-style="x">`)
  })

  it('carry the nonce when they are sheets, and keep numbers in values as they are', () => {
    expect(aside('<style>p{}</style><style media="0">b{}</style>')).toBe(
      '<style nonce="n0nce==">p{}</style><style nonce="n0nce==" media="0">b{}</style>',
    )
  })
})
