import type { Browser } from 'playwright-core'
import { beforeAll, describe, expect, inject, it } from 'vitest'
import { openBrowser } from './browser.ts'
import { expectNoSidewaysScroll, signIn, untilLoaded, visit } from './people.ts'

let browser: Browser
beforeAll(async () => {
  browser = await openBrowser()
})

describe('names of one long word', () => {
  const name = 'Donaudampfschifffahrtselektrizitaetenhauptbetriebswerkbauunterbeamter'.slice(0, 64)

  it('break within their table and push no page sideways', async () => {
    const { api, control, operator, portal } = inject('workplace')
    const token = async (email: string, app: string) => {
      const made = await fetch(`${control}/tokens`, json({ email, app }))
      return ((await made.json()) as { accessToken: string }).accessToken
    }
    const json = (body: unknown, bearer?: string) => ({
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(bearer && { authorization: `Bearer ${bearer}` }),
      },
      body: JSON.stringify(body),
    })
    const byOperator = await token('operator@atrium.test', 'operator')
    const made = [
      await fetch(`${api}/partners`, json({ name, slug: 'one-long-word' }, byOperator)),
      await fetch(
        `${api}/tenants`,
        json({ name, slug: 'one-long-word', respondAsync: true }, byOperator),
      ),
      await fetch(
        `${api}/tenants/globex/sso-apps`,
        json(
          { name: name.slice(0, 60), redirectUris: ['https://wiki.example.com/callback'] },
          await token('owner@globex.test', 'portal'),
        ),
      ),
    ]
    expect(made.map(({ status }) => status)).toEqual([201, 201, 201])

    await using olive = await visit(browser)
    await signIn(olive.page, 'operator', 'Olive Operator')
    for (const width of [1440, 1024, 390]) {
      await olive.page.setViewportSize({ width, height: 900 })
      for (const path of ['/tenants', '/partners', '/audit']) {
        await olive.page.goto(operator + path)
        await olive.page.getByText(name).first().waitFor()
        await untilLoaded(olive.page)
        await expectNoSidewaysScroll(olive.page)
      }
    }
    await using gero = await visit(browser, { screen: { width: 390, height: 844 } })
    await signIn(gero.page, 'portal', 'Gero Owner')
    await gero.page.goto(`${portal}/t/globex/sso`)
    await gero.page.getByText(name.slice(0, 60)).first().waitFor()
    await expectNoSidewaysScroll(gero.page)
  })
})
