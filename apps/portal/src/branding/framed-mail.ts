/**
 * A mail as the document of a sandboxed frame. The frame inherits the page's content security
 * policy, which rejects style attributes: they become rules of one sheet that carries the page's
 * nonce. Links open nothing, because the sandbox allows no windows.
 */
export function framedMail(html: string, nonce: string): string {
  const page = new DOMParser().parseFromString(setStylesAside(html, nonce), 'text/html')
  const rules: string[] = []
  for (const element of page.querySelectorAll('[data-style]')) {
    const style = element.getAttribute('data-style') ?? ''
    element.setAttribute('data-style', String(rules.length))
    // The sheet is written as text below, and `<` is what could end it early.
    rules.push(`html [data-style="${rules.length}"]{${style.replaceAll('<', '')}}`)
  }
  const sheet = page.createElement('style')
  sheet.setAttribute('nonce', nonce)
  sheet.textContent = rules.join('\n')
  page.body.append(sheet)
  const base = page.createElement('base')
  base.setAttribute('target', '_blank')
  page.head.prepend(base)
  return `<!doctype html>${page.documentElement.outerHTML}`
}

const tag = /<[a-z](?:"[^"]*"|'[^']*'|[^'"<>])*>/gi
const quoted = /"[^"]*"|'[^']*'/g

/**
 * Renames style attributes and adds the nonce to sheets before anything is parsed: the parser
 * already reports each style attribute to the policy. Whatever this overlooks has no style.
 */
export function setStylesAside(html: string, nonce: string): string {
  return html.replace(tag, (text) => {
    const values: string[] = []
    // Values are taken out first, so that only names of attributes are looked at.
    const names = text.replace(quoted, (value) => `"${values.push(value) - 1}"`)
    const renamed = names
      .replace(/([\s"/])style(?=\s*=)/gi, '$1data-style')
      .replace(/^<style(?=[\s/>])/i, `<style nonce="${nonce}"`)
    return renamed.replace(/"(\d+)"/g, (whole, index: string) => values[Number(index)] ?? whole)
  })
}
