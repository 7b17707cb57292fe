import { definePlugin, type Plugin } from '@longshore/plugin';
import { imagesConvert } from './images-convert.ts';
import { imagesInfo } from './images-info.ts';
import { imagesResize } from './images-resize.ts';
import { imagesThumbnail } from './images-thumbnail.ts';

/** Tools that describe, resize and convert images in the directories the operator allows. */
export const plugin: Plugin = definePlugin({
  name: '@longshore/plugin-images',
  tools: (host) => [
    imagesInfo(host),
    imagesResize(host),
    imagesConvert(host),
    imagesThumbnail(host),
  ],
});
