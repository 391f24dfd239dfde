const words = `
acorn album alley almond amber anchor angle apple apron arrow atlas autumn bacon badge badger baker bamboo banjo
barley barn basil basin basket beacon beaver beetle bench berry birch bishop bison blanket blossom board bonnet book
border bottle bowl branch brass bread breeze brick bridge broom brush bucket buffalo bugle bundle butter button
cabbage cabin cable cactus camel camera canal candle canoe canvas canyon captain caravan carbon cargo carpet carrot
castle cedar cello chain chalk chapel cheese cherry chess chimney cider cinema cinnamon circle citrus clay cliff
clock cloud clover coast cobalt cobweb coffee comet compass copper coral corner cotton cousin cradle crane crayon
cricket crocus crown crystal cupboard curtain cushion cymbal daisy dancer dawn desert diamond dinner dollar dolphin
domino donkey dragon drawer dress drum dune eagle earth easel echo elbow elder ember engine engraver envelope
evening fabric falcon farmer feather fence fern ferry fiddle field finch finger fjord flame flannel flour flower
flute forest fossil fountain fox frame friday frost gallery garden garlic gazelle ginger giraffe glacier glass glove
goblet goose grain granite grape grass gravel guitar hammer hammock harbour harness harp harvest hazel heather hedge
helmet heron hill hollow honey horizon horse hotel house iceberg icicle indigo inkwell iris island ivory jacket
jaguar jasmine jelly jewel jigsaw journal judge jumper jungle juniper kayak kennel kettle keyhole kitchen kite
kitten knight ladder lagoon lake lamp lantern lark laurel lavender leaf leather lemon lentil letter library
lighthouse lilac lily lime linen lion lizard lobster locket lodge lumber lunch lute magnet magpie mammoth mango
maple marble market meadow melody melon merchant mermaid meteor midnight milk mill mirror mitten monday moon morning
mosaic moss motor mountain mushroom mustard napkin narrow nectar needle nest nickel noodle north notebook novel
nugget nutmeg oasis oatmeal ocean olive onion opal opera orange orbit orchard orchid organ otter outpost oven oyster
paddle painter palace panda pantry papaya paper paprika parade parrot pasture pebble pelican pencil pepper piano
pickle picnic pigeon pillow pilot pine pirate planet plum pocket poem pond poppy porch postcard potato powder
prairie pretzel puddle pumpkin puzzle quarry quartz quilt quiver rabbit radish railway rainbow raisin raven reed
ribbon river robin rocket rooster rope rose rubber ruby saddle saffron sailor salad salmon sandal sardine satin
saturn saucer scarf school scooter seagull season seed shadow shell shepherd shovel silk silver singer skate sketch
slipper snail snow socket sofa sonnet sparrow spice spider spinach spiral spoon spruce squash squirrel stable stamp
star station statue steam stone stork storm straw stream street studio sugar summer sunday sunset swallow swan
sweater tablet tadpole tailor tambour tandem teapot temple tennis theatre thimble thistle thunder tiger timber toast
tomato topaz torch tower tractor train trolley trumpet tulip tunnel turbine turnip turtle umbrella uncle valley
vanilla velvet vessel village vine violet violin volcano waffle wagon walker walnut walrus water weaver wheat wheel
whistle willow window winter wizard wolf wonder wooden wool wreath yacht yarn yellow yogurt zebra zephyr zinc`
  .trim()
  .split(/\s+/)

const length = 6

/** Six random words: about 54 bits, and easy to remember. */
export function createPassphrase(): string {
  return Array.from({ length }, () => words[below(words.length)]!).join(' ')
}

/** A uniformly random number. Values that would bias the result are rejected. */
function below(limit: number): number {
  const [random] = crypto.getRandomValues(new Uint32Array(1))
  return random! < Math.floor(2 ** 32 / limit) * limit ? random! % limit : below(limit)
}
