import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

export default defineConfig({
  plugins: [react()],
  resolve: { alias: { tldts: fileURLToPath(import.meta.resolve('@atrium/ui/public-suffix')) } },
  // Assets stay files: the content security policy allows data: for images only.
  build: { outDir: 'dist', target: 'esnext', assetsInlineLimit: 0, modulePreload: { polyfill: false } },
})
