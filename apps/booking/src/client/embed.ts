/**
 * Embeds booking pages in a page of another site: each `<div data-atrium-booking="https://…">` gets
 * a frame as high as its content, and titled like it where `data-title` is absent. Addresses of
 * other origins than this script's own are left alone.
 */
{
  const origin =
    document.currentScript instanceof HTMLScriptElement
      ? new URL(document.currentScript.src).origin
      : undefined
  const frames = new Set<HTMLIFrameElement>()

  const fill = (place: HTMLElement) => {
    const address = place.dataset.atriumBooking ?? ''
    if (
      !URL.canParse(address) ||
      new URL(address).origin !== origin ||
      place.querySelector('iframe')
    )
      return
    const frame = document.createElement('iframe')
    frame.src = address
    frame.title = place.dataset.title ?? ''
    frame.loading = 'lazy'
    frame.style.cssText = 'display:block;width:100%;border:0;height:640px'
    frames.add(frame)
    place.append(frame)
  }
  const fillAll = () => {
    for (const place of document.querySelectorAll<HTMLElement>('[data-atrium-booking]')) fill(place)
  }

  addEventListener('message', ({ origin: from, source, data }: MessageEvent<unknown>) => {
    if (from !== origin || typeof data !== 'object' || data === null || !('atriumHeight' in data))
      return
    const height = Number(data.atriumHeight)
    if (!(height > 0 && height < 20_000)) return
    for (const frame of frames)
      if (frame.contentWindow === source) {
        frame.style.height = `${Math.ceil(height)}px`
        if (frame.title === '' && 'atriumTitle' in data) frame.title = String(data.atriumTitle)
      }
  })
  if (document.readyState === 'loading') addEventListener('DOMContentLoaded', fillAll)
  else fillAll()
}
