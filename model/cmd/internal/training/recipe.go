package training

import (
	"embed"
	"fmt"
)

// A Recipe is a named set of flags of rnnsearch train that has proved good for a kind of text.
type Recipe struct {
	Name     string
	Text     string // that it is for
	Expected string // time and BLEU of a training, so that one can tell early whether another goes as well
}

// Recipes are the recipes. Expected is from bench/paper/results/published, from the logs of the built-in models, and from
// 12,490 pairs of task 1 of SIGMORPHON 2016: the features and letters of a lemma, and the letters of the form.
var Recipes = []Recipe{
	{"small", "tens of thousands to a million pairs",
		"On the 29,000 pairs of Multi30k, validation gives 5, 39, 48, 51, 53 and 54 BLEU after the first six epochs and 57 after all 18. An epoch takes 3.5 minutes on two cores of an Intel Xeon, and 1.9 on two of a Zen 4 with --precision bf16."},
	{"general", "a million pairs and more, of all kinds, to get far in hours",
		"On the 2.35 million pairs of the built-in models, validation gives 4, 18, 23, 27, 29, 30, 31, 32, 33, 33, 34, 34, 35, 35, 36, 36, 36, 37, 37 and 37 BLEU after each 1,000 of 20,000 updates, which see two thirds of them. 1,000 updates take 8 to 9 minutes on one core of a Zen 5 with --precision bf16."},
	{"paper", "millions of pairs",
		"On the 29,000 pairs of Multi30k, which are too few for it, validation gives 0, 1, 3, 3, 4 and 6 BLEU after the first six epochs and 22 after all 20. An epoch takes 11 minutes on two cores of an Intel Xeon."},
	{"characters", "words as sequences of letters, separated by spaces",
		"On 12,490 pairs of German inflection, SIGMORPHON 2016, validation gives 18, 87, 96, 97, 97 and 98 BLEU of letters after the first six epochs and 99 after all 30. An epoch takes 12 seconds on two cores of a Zen 4."},
}

//go:embed recipes/*.json
var recipeFiles embed.FS

// Settings returns the flags of a recipe and their values, a JSON object.
func (r Recipe) Settings() []byte {
	content, err := recipeFiles.ReadFile("recipes/" + r.Name + ".json")
	if err != nil {
		panic(fmt.Sprintf("training: %v", err)) // is embedded
	}
	return content
}

// RecipeNames returns the names of all recipes.
func RecipeNames() []string {
	names := make([]string, len(Recipes))
	for i, r := range Recipes {
		names[i] = r.Name
	}
	return names
}
