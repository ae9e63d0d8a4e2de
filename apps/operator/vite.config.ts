import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

export default defineConfig({
  plugins: [react()],
  resolve: { alias: { tldts: fileURLToPath(new URL('src/parts/public-suffix.ts', import.meta.url)) } },
  build: { outDir: 'dist', target: 'esnext', assetsInlineLimit: 0, modulePreload: { polyfill: false } },
})
