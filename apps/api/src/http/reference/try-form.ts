import { html } from 'hono/html'
import type { ApiDocument, Parameter } from '../openapi-document.ts'
import { exampleBody, type Listed } from './sample-request.ts'

type Html = ReturnType<typeof html>

/**
 * A form that sends the operation's request from the page. Hidden until the page's script, which
 * sends it, has started.
 */
export function tryForm(document: ApiDocument, { method, path, operation }: Listed): Html {
  const { parameters, security } = operation
  const required = parameters.filter((one) => one.required)
  const optional = parameters.filter((one) => !one.required)
  const body = exampleBody(document, operation)
  return html`<details class="try" hidden>
    <summary>Try it</summary>
    <form class="call" data-method="${method}" data-path="${path}">
      <p>Sends a real request to this installation${method === 'GET' ? '' : ', which may change data'}.</p>
      ${
        security.length > 0
          ? html`<label>Token <input type="password" name="token" autocomplete="off" required /></label>
      <p class="type">The token stays in this browser tab until you close it.</p>`
          : ''
      }
      ${required.map(parameterInput)}
      ${optional.length > 0 ? html`<details><summary>Optional parameters</summary>${optional.map(parameterInput)}</details>` : ''}
      ${body ? html`<label>Body <textarea name="body" rows="${Math.min(JSON.stringify(body, null, 2).split('\n').length + 1, 16)}" spellcheck="false">${JSON.stringify(body, null, 2)}</textarea></label>` : ''}
      <button>Send request</button>
      <p class="outcome" role="status"></p>
      <pre class="answer" tabindex="0" role="region" aria-label="Response body" hidden></pre>
    </form>
  </details>`
}

const parameterInput = ({ name, in: place, required }: Parameter) =>
  html`<label><code>${name}</code> <input name="${place} ${name}" autocomplete="off" spellcheck="false"${required ? ' required' : ''} /></label>`
